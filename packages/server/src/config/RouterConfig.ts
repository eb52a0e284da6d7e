// How every router of the service matches paths.
import { PATH_PARAMETER_CHARACTERS_MAX } from "@rapport/contract/Limits.ts"

/** The router forgives slashes, case and long parameters by default (contract §1, "Methods"). */
export const routerConfig = {
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  caseSensitive: true,
  maxParamLength: PATH_PARAMETER_CHARACTERS_MAX
}
