import { assert, it } from "@effect/vitest"
import { isPublicAddress } from "./PublicAddress.ts"
import { webhookUrlFault } from "./WebhookUrl.ts"

const refused = {
  loopback: ["127.0.0.1", "127.255.255.255", "::1"],
  unspecified: ["0.0.0.0", "0.1.2.3", "::"],
  private: ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fdff::1"],
  "link-local": ["169.254.1.1", "fe80::1", "febf::1"],
  "metadata services of clouds": [
    "169.254.169.254",
    "fd00:ec2::254",
    "100.100.100.200",
    "192.0.0.192",
    "168.63.129.16"
  ],
  "shared by carriers": ["100.64.0.0", "100.127.255.255"],
  multicast: ["224.0.0.1", "239.255.255.255", "ff02::1"],
  "broadcast and reserved": ["255.255.255.255", "240.0.0.1", "4000::1"],
  "for documentation": ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
  "IPv6 with an IPv4 address inside": [
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::1",
    "2001:0:7f00:1::1"
  ],
  "not addresses": ["", "localhost", "127.1", "fe80::1%eth0", "8.8.8.8 "]
}
const admitted = [
  "8.8.8.8",
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "169.253.255.255",
  "223.255.255.255",
  "2606:4700::1111",
  "2001:4860:4860::8888",
  "2a00:1450::1"
]

// contract §8: private, loopback, link-local and other non-public addresses are refused on the resolved address.

for (const [what, addresses] of Object.entries(refused))
  it(`webhooks may not use addresses that are ${what}`, () => {
    for (const address of addresses) assert.isFalse(isPublicAddress(address), address)
  })

it("webhooks may use public addresses next to the excluded ranges", () => {
  for (const address of admitted) assert.isTrue(isPublicAddress(address), address)
})

const faultOf = (url: string) => webhookUrlFault(url, false)

// contract §8: a literal one with 400 when written; so are other schemes and credentials in the URL.

const rewritten = "must hold no spaces, control characters or backslashes"
const credentials = "must hold no user name and no password"
it.each<[fault: string | undefined | RegExp, ...urls: ReadonlyArray<string>]>([
  [
    undefined,
    "https://hooks.example.com/in?a=1",
    "http://example.com:8080",
    "https://8.8.8.8/",
    "https://[2606:4700::1111]/",
    "https://приклад.укр/",
    "https://example.com/@rapport?to=@b#@c"
  ],
  // The parser would rewrite them.
  [
    rewritten,
    "https://example.com/\n",
    " https://example.com/",
    "https://exa\tmple.com/",
    "https://example.com/\u0000",
    "https://example.com\u00a0",
    "https:\\\\example.com/"
  ],
  ["must begin with https:// or http://", "https:example.com", "https:/example.com"],
  [
    credentials,
    "https://@example.com/",
    "https://:@example.com/",
    "https://user@example.com/",
    "https://user:secret@example.com/",
    "https://:secret@example.com/"
  ],
  [/./u, "ftp://example.com/", "file:///etc/passwd", "javascript:alert(1)", "gopher://example.com/"],
  [/./u, "", "example.com", "https://", "http://[::1", "//example.com/"]
])("the fault %s is that of a webhook URL such as %j", (fault, ...urls) => {
  for (const url of urls)
    if (fault instanceof RegExp) assert.match(faultOf(url) ?? "", fault, url)
    else assert.strictEqual(faultOf(url), fault, url)
})

it("a webhook URL with a private address is refused in any spelling", () => {
  for (const host of [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "10.0.0.1",
    "0",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[fe80::1]",
    "169.254.169.254",
    "１２７.0.0.1",
    "192.168.0.1:8080"
  ])
    assert.strictEqual(faultOf(`http://${host}/`), "must not be a private address", host)
})

it("a setting allows private webhook URLs, but no credentials in them", () => {
  assert.isUndefined(webhookUrlFault("http://127.0.0.1:9/", true))
  assert.isDefined(webhookUrlFault("http://user@127.0.0.1:9/", true))
})
