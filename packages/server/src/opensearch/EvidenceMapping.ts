// The index template of an evidence index in OpenSearch.
import { EVIDENCE_FORMAT } from "@rapport/core/search/EvidenceFormat.ts"
import {
  K1_PASSAGE,
  K1_WHOLE,
  LENGTH_SHARE,
  RARITY_POWER
} from "@rapport/core/search/ranking/RankingWeights.ts"

/** Compared as a whole. Nothing is stored: PostgreSQL has the values. */
const id = { type: "keyword", norms: false } as const
/** Words are analyzed by core, so that both engines find the same appeals and snippets mark the matches. */
const counted = { type: "text", analyzer: "words", index_options: "freqs" } as const
const own = { type: "text", analyzer: "words", index_options: "docs", norms: false } as const
const passage = { ...counted, similarity: "passage" } as const
const whole = { ...counted, similarity: "whole" } as const

export const mappings = {
  dynamic: "strict",
  _routing: { required: true },
  // Only the checkpoints of the projection are read back.
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
    // For questions that name a day or a month without a year.
    month: { type: "byte" },
    day: { type: "byte" },
    yearDay: { type: "short" },
    // Stems, original spellings, and word families.
    whole,
    wholeSpelled: whole,
    wholeFamilies: whole,
    // The first text, with the names of all speakers.
    opening: whole,
    openingFamilies: whole,
    openingShare: { type: "half_float", index: false },
    passages: {
      type: "nested",
      properties: {
        message: { type: "long", index: false },
        // Words of the message itself decide whether it matches; adjacent messages and speakers only add to the score.
        own,
        ownFamilies: own,
        text: passage,
        spelled: passage,
        families: passage
      }
    }
  }
} as const

// BM25 with a power of the rarity, like core; the built-in similarity has no such power.
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
  // Later templates override earlier ones.
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

/** Shards, replicas and refresh; operators may override them in `customTemplateName`. */
export const defaultSettings = {
  template: {
    settings: {
      index: {
        // The documents of an instance are in one shard.
        number_of_shards: 3,
        // One replica as soon as there is a second node.
        auto_expand_replicas: "0-1",
        // Writers refresh explicitly when documents must be searchable immediately.
        refresh_interval: "30s",
        // More than the messages of an indexed appeal.
        "mapping.nested_objects.limit": 10_000
      }
    }
  }
}

/** Component templates: the defaults of the service, and one that operators may create, for example for shards. */
export const defaultTemplateName = (prefix: string): string => `${prefix}-defaults`
export const customTemplateName = (prefix: string): string => `${prefix}-custom`
