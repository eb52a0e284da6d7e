// Port of the hash of citations and packs.
import { Context } from "effect"

export class Sha256 extends Context.Service<
  Sha256,
  {
    /** Lower-case hex of the SHA-256 of the text's UTF-8 bytes; a pure function. */
    readonly hex: (text: string) => string
  }
>()("core/context/Sha256") {}
