// Figures of others on sets that are known by name, for the tables and the chart; docs/retrieval.md says where they are from.

export interface Reference {
  readonly name: string
  /** By the names of the figures. */
  readonly figures: Readonly<Record<string, number>>
}

export interface References {
  readonly plain: Reference
  /** The least that is wanted of us. */
  readonly wanted: Reference
}

const plain = "plain BM25"
const wanted = "wanted, at least"

const known: Readonly<Record<string, References>> = {
  "locomo-dev.json": {
    plain: {
      name: plain,
      figures: { "R@1": 0.651, "R@5": 0.857, "R@8": 0.914, "R@10": 0.93, "any@8": 0.948, "NDCG@10": 0.789 }
    },
    wanted: {
      name: wanted,
      figures: { "R@1": 0.785, "R@5": 0.905, "R@8": 0.94, "R@10": 0.955, "any@8": 0.972, "NDCG@10": 0.865 }
    }
  },
  "banking77-train.csv": {
    plain: { name: plain, figures: { "P@1": 0.806, "MRR@8": 0.862 } },
    wanted: { name: wanted, figures: { "P@1": 0.82, "MRR@8": 0.87 } }
  }
}

export const referencesOf = (dataset: string): References | undefined => known[dataset]
