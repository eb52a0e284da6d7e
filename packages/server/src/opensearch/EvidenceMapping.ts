// What an evidence index in OpenSearch looks like: its template with analyzers and fields, under version control here.
import { FAMILY_UNITS } from "@rapport/core/search/text/Terms.ts"
import {
  K1_PASSAGE,
  K1_WHOLE,
  LENGTH_SHARE,
  RARITY_POWER
} from "@rapport/core/search/ranking/RankingWeights.ts"

/**
 * Raised with every change of what follows or of how a document is made: indexes of another form are left alone, and one of
 * this form is built beside them.
 */
export const EVIDENCE_FORM = 2

/** `keyword`: compared, never searched for parts. None is kept twice: nothing is stored that PostgreSQL has. */
const id = { type: "keyword", norms: false } as const
/** Words that core has folded and stemmed, so that both engines find the same appeals and the snippets mark what was found. */
const stems = { type: "text", analyzer: "stems", index_options: "freqs" } as const
/** How the words begin, which is what words of one family have in common. */
const families = { ...stems, analyzer: "families" } as const
const spelled = { type: "text", analyzer: "spelled", index_options: "freqs" } as const
const passage = { similarity: "passage" } as const
const whole = { similarity: "whole" } as const

const mappings = {
  dynamic: "strict",
  _routing: { required: true },
  // Of the documents nothing is read back; the marks of the projection are.
  _source: { includes: ["marks"] },
  properties: {
    marks: { type: "object", enabled: false },
    instance: id,
    appeal: { type: "long" },
    client: id,
    subject: id,
    assigned: { type: "boolean" },
    operators: id,
    author: id,
    closed: { type: "boolean" },
    createdAt: { type: "long" },
    // Parts of its date, for questions that name a day or a month without a year.
    month: { type: "byte" },
    day: { type: "byte" },
    yearDay: { type: "short" },
    whole: { ...stems, ...whole, fields: { family: { ...families, ...whole } } },
    wholeSpelled: { ...spelled, ...whole },
    passages: {
      type: "nested",
      properties: {
        message: { type: "long", index: false },
        // The stems of the message itself, which make it match; its neighbours and the speakers only weigh.
        own: { type: "text", analyzer: "stems", index_options: "docs", norms: false },
        text: { ...stems, ...passage, fields: { family: { ...families, ...passage } } },
        spelled: { ...spelled, ...passage }
      }
    }
  }
} as const

const apostrophes = {
  type: "mapping",
  mappings: ["\u2019 => '", "\u02bc => '", "\u2018 => '", "\u02b9 => '", "` => '"]
} as const

const exactWords = {
  type: "custom",
  char_filter: ["apostrophes"],
  tokenizer: "standard",
  filter: ["lowercase", "asciifolding"]
} as const

// BM25 as core has it. The engine's own takes the rarity of a word as it is, and no power of it.
const similarity = (k1: number) => ({
  type: "scripted",
  weight_script: {
    source: `double rest = field.docCount - term.docFreq + 0.5;
      return query.boost * Math.pow(Math.log(1 + rest / (term.docFreq + 0.5)), ${RARITY_POWER});`
  },
  script: {
    source: `double length = doc.length * (double) field.docCount / field.sumTotalTermFreq;
      double damped = ${k1} * (${1 - LENGTH_SHARE} + ${LENGTH_SHARE} * length);
      return weight * doc.freq * ${k1 + 1} / (doc.freq + damped);`
  }
})

/** `dictionary`: every node has the Ukrainian analyzer, which knows more forms of a word than a stemmer does. */
export const evidenceTemplate = (
  pattern: string,
  { composedOf, dictionary }: { readonly composedOf: ReadonlyArray<string>; readonly dictionary: boolean }
) => ({
  index_patterns: [pattern],
  // The last of them counts where they differ.
  composed_of: composedOf,
  priority: 100,
  _meta: { form: EVIDENCE_FORM },
  template: {
    settings: {
      similarity: { passage: similarity(K1_PASSAGE), whole: similarity(K1_WHOLE) },
      analysis: {
        char_filter: { apostrophes },
        filter: {
          long: { type: "length", min: FAMILY_UNITS },
          beginning: { type: "truncate", length: FAMILY_UNITS }
        },
        analyzer: {
          stems: { type: "custom", tokenizer: "whitespace" },
          families: { type: "custom", tokenizer: "whitespace", filter: ["long", "beginning"] },
          spelled: dictionary ? { type: "ukrainian" } : exactWords
        }
      }
    },
    mappings
  }
})

/** How an index is spread and refreshed unless the operators say otherwise in `customTemplateName`. */
export const defaultSettings = {
  template: {
    settings: {
      index: {
        // An instance lives in one of them.
        number_of_shards: 3,
        // One copy beside the first as soon as there is a second node.
        auto_expand_replicas: "0-1",
        // Whoever writes asks for what has to be searchable at once.
        refresh_interval: "30s",
        // Above the messages of an appeal that is indexed whole.
        "mapping.nested_objects.limit": 10_000
      }
    }
  }
}

/** Component templates: ours, and one that operators may make, for shards, replicas and the like. */
export const defaultTemplateName = (prefix: string): string => `${prefix}-defaults`
export const customTemplateName = (prefix: string): string => `${prefix}-custom`
