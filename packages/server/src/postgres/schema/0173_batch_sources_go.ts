// The source of an import batch was kept and read by nobody. An integrator may name it after a person, and an erasure leaves
// the batch: it is kept no longer. The column stays for a version before that runs beside this one.
export const batchSourcesGo: ReadonlyArray<string> = [
  `alter table import_batches alter column source set default ''`,
  `update import_batches set source = '' where source <> ''`
]
