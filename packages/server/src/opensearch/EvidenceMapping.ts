// The form of an evidence index in OpenSearch: its template with analyzers and fields, under version control here.
import { EVIDENCE_FORMAT } from "@rapport/core/search/EvidenceFormat.ts"
import {
  K1_PASSAGE,
  K1_WHOLE,
  LENGTH_SHARE,
  RARITY_POWER
} from "@rapport/core/search/ranking/RankingWeights.ts"

/** `keyword`: compared, never searched for parts. None is kept twice: nothing is stored that PostgreSQL has. */
const id = { type: "keyword", norms: false } as const
/** Words as core has made them, so that both engines find the same appeals and the snippets mark what was found. */
const counted = { type: "text", analyzer: "words", index_options: "freqs" } as const
const own = { type: "text", analyzer: "words", index_options: "docs", norms: false } as const
const passage = { ...counted, similarity: "passage" } as const
const whole = { ...counted, similarity: "whole" } as const

export const mappings = {
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
    // Stems, words as they were spelled, and the families of words.
    whole,
    wholeSpelled: whole,
    wholeFamilies: whole,
    // Of its first text, with the names of all who speak.
    opening: whole,
    openingFamilies: whole,
    openingShare: { type: "half_float", index: false },
    passages: {
      type: "nested",
      properties: {
        message: { type: "long", index: false },
        // Of the message itself, which make it match; its neighbours and the speakers only weigh.
        own,
        ownFamilies: own,
        text: passage,
        spelled: passage,
        families: passage
      }
    }
  }
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

export const evidenceTemplate = (
  pattern: string,
  { composedOf }: { readonly composedOf: ReadonlyArray<string> }
) => ({
  index_patterns: [pattern],
  // The last of them counts where they differ.
  composed_of: composedOf,
  priority: 100,
  _meta: { form: EVIDENCE_FORMAT },
  template: {
    settings: {
      similarity: { passage: similarity(K1_PASSAGE), whole: similarity(K1_WHOLE) },
      analysis: {
        analyzer: { words: { type: "custom", tokenizer: "whitespace" } }
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
