// The path matching of every router in the service.
import { Api } from "@rapport/contract/Api.ts"
import { PATH_PARAMETER_CHARACTERS_MAX } from "@rapport/contract/Limits.ts"
import { FindMyWay } from "effect/http"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"

/** The router's defaults tolerate extra slashes, case and long parameters (contract §1, "Methods"). */
export const routerConfig = {
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  caseSensitive: true,
  maxParamLength: PATH_PARAMETER_CHARACTERS_MAX
}

type Endpoints = ReadonlyMap<string, HttpApiEndpoint.Top>

const makeRouter = (): FindMyWay.Router<Endpoints> => {
  const byPath = new Map<string, Map<string, HttpApiEndpoint.Top>>()
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      const { method, path } = endpoint
      byPath.set(path, (byPath.get(path) ?? new Map<string, HttpApiEndpoint.Top>()).set(method, endpoint))
    }
  })
  const router = FindMyWay.make<Endpoints>(routerConfig)
  for (const [path, endpoints] of byPath) router.on("GET", path as FindMyWay.PathInput, endpoints)
  return router
}

/** Built at the first use, because it takes 3 MiB. */
let router: FindMyWay.Router<Endpoints> | undefined

/** The endpoints of a path, by their methods. The path must be decodable. */
export const endpointsOf = (path: string): Endpoints | undefined =>
  (router ??= makeRouter()).find("GET", path)?.handler
