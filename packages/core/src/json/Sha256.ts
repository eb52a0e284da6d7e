// Port of the one hash that packs carry: contentHash of every citation and packHash.
import { Context } from "effect"

export class Sha256 extends Context.Service<
  Sha256,
  {
    /** Lower-case hex of the SHA-256 of the text's UTF-8 bytes; a pure function. */
    readonly hex: (text: string) => string
  }
>()("core/context/Sha256") {}
