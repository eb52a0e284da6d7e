// Certificates of a test authority, and a TLS proxy in front of a server without TLS.
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as https from "node:https"
import * as path from "node:path"
import { listenOnLoopback, passTo } from "./LoopbackServer.ts"

const openssl = (folder: string, args: ReadonlyArray<string>) =>
  execFileSync("openssl", args, { cwd: folder, stdio: ["ignore", "ignore", "ignore"] })

/** Makes ca.pem, and server.crt with server.key for 127.0.0.1. */
export const makeCertificates = (folder: string): void => {
  const key = ["-newkey", "rsa:2048", "-nodes"]
  const authorityOut = "-keyout ca.key -out ca.pem -subj /CN=authority".split(" ")
  openssl(folder, ["req", "-x509", ...key, "-days", "2", ...authorityOut])
  openssl(folder, ["req", ...key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=server"])
  fs.writeFileSync(path.join(folder, "names"), "subjectAltName=IP:127.0.0.1\n")
  const authority = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names"]
  openssl(folder, ["x509", "-req", "-days", "2", "-in", "server.csr", ...authority, "-out", "server.crt"])
}

interface TlsServer {
  readonly certificate: string
  readonly key: string
  /** Receives the requests that have this user and password. */
  readonly target: string
  readonly user: string
  readonly password: string
}

/** Starts the proxy on a free port of loopback. */
export const tlsProxy = ({ certificate, key, password, target, user }: TlsServer) => {
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`
  const server = https.createServer({ cert: certificate, key }, (request, response) => {
    if (request.headers.authorization !== expected) return void response.writeHead(401).end("{}")
    passTo(target, request, response)
  })
  return listenOnLoopback(server)
}

/** Installs a certificate in a cluster. PostgreSQL requires a key that only its user can read. */
export const certifyCluster = (cluster: string, certificate: string, key: string): void => {
  const { gid, uid } = fs.statSync(cluster)
  for (const [from, name] of [
    [certificate, "server.crt"],
    [key, "server.key"]
  ] as const) {
    const to = path.join(cluster, name)
    fs.copyFileSync(from, to)
    fs.chownSync(to, uid, gid)
    fs.chmodSync(to, 0o600)
  }
}
