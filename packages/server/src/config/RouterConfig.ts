// The path matching of every router in the service.
import { PATH_PARAMETER_CHARACTERS_MAX } from "@rapport/contract/Limits.ts"

/** The router's defaults tolerate extra slashes, case and long parameters (contract §1, "Methods"). */
export const routerConfig = {
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  caseSensitive: true,
  maxParamLength: PATH_PARAMETER_CHARACTERS_MAX
}
