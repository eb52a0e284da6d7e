// How texts are compared where the contract ignores case: `q`, `contains`, `startsWith` and logins (contract §1.2).
// The SQL function `fold_text` obeys the same laws (postgres/schema/baseline/FoldedTexts.ts).
import { composedText } from "@rapport/contract/values/NormalForm.ts"

/** Characters that people type for an apostrophe: ' ’ ‘ ‛ ʼ ʻ ʹ ꞌ ` ´ ′ ＇ */
const APOSTROPHES = /[\u2019\u2018\u201b\u02bc\u02bb\u02b9\ua78c`\u00b4\u2032\uff07]/gu

/** The text in normal form C and lower case, with one apostrophe and one Greek sigma. Idempotent. */
export const foldedText = (text: string): string =>
  composedText(composedText(text).toLowerCase().replaceAll(APOSTROPHES, "'").replaceAll("ς", "σ"))
