// The one place where a limit is a number: every bound of the service, by room. Sources: docs/contract.md §3.1, §10.

/** Default and maximum of a number that a caller may choose. */
export interface Bounded {
  readonly minimum: number
  readonly default: number
  readonly maximum: number
}

/** The numeric limits of a context read (docs/contract.md §3.1). */
export const ContextLimits = {
  topK: { minimum: 1, default: 8, maximum: 20 },
  candidateLimit: { minimum: 1, default: 80, maximum: 200 },
  maxSnippetsPerAppeal: { minimum: 1, default: 3, maximum: 5 },
  maxResponseBytes: { minimum: 1024, default: 65_536, maximum: 262_144 },
  tokenBudget: { minimum: 64, default: 8_000, maximum: 8_000 },
  timeoutMs: { minimum: 50, default: 2_000, maximum: 5_000 },
  actionsLimit: { minimum: 1, default: 20, maximum: 100 }
} as const satisfies Record<string, Bounded>

/** Longest query of a context read, in code points. */
export const QUERY_POINTS_MAX = 512
/** What an answer may take beyond `timeoutMs`. */
export const ANSWER_GRACE_MILLIS = 50
/** An action payload above this is the first thing trimmed from a pack. */
export const PAYLOAD_KEPT_BYTES_MAX = 4_096
/** What every list of evidence, and the actions, are cut down to before any of them is cut further. */
export const EVIDENCE_KEPT_LAST = 3
export const ACTIONS_KEPT_LAST = 5
/** Code points of a snippet: what is aimed at, and what is never passed. */
export const SNIPPET_POINTS_AIM = 300
export const SNIPPET_POINTS_MAX = 1_000
/** Latest messages shown of a previous conversation. */
export const CONVERSATION_MESSAGES_MAX = 10
/** A search is asked again, for this many times as many candidates, while PostgreSQL hides too many of them. */
export const CANDIDATE_ROUNDS_MAX = 6
export const CANDIDATE_ROUND_FACTOR = 4
/** Long and quarantined appeals that coverage names, of each kind. */
export const FLAGGED_APPEALS_MAX = 10
/** Code points shown of a text of a conversation, interaction or memory; a longer one is `truncated` (§3.2, "long texts"). */
export const SHOWN_TEXT_POINTS_MAX = 2_000
/** Code points that are read of a message of an appeal to cut its snippet from. */
export const SNIPPET_SOURCE_POINTS_MAX = 4_096
/** Texts and pieces of text whose token count a process remembers, and the longest of each, in UTF-16 units. */
export const TOKEN_TEXTS_KEPT_MAX = 20_000
export const TOKEN_TEXT_UNITS_MAX = 2_048
export const TOKEN_PIECES_KEPT_MAX = 100_000
export const TOKEN_PIECE_UNITS_MAX = 64
/** A committed change older than this and not indexed makes a pack partial (reason index_lag). */
export const INDEX_LAG_MILLIS_MAX = 5_000

/** Size tiers of an appeal, in messages: delayed above the first, not searchable above the second. */
export const APPEAL_MESSAGES_NORMAL_MAX = 1_000
export const APPEAL_MESSAGES_INDEXED_MAX = 5_000

/** Words longer than this, in UTF-16 units, are indexed by their beginning; forms of words remembered by a thread. */
export const STEM_UNITS_MAX = 64
export const STEMS_KEPT_MAX = 100_000

/** Texts of a search looked at between two looks at its deadline. */
export const SEARCH_TEXTS_AT_ONCE = 512
/** Matching texts ranked all together; above it the rarest words go first, until SEARCH_TEXTS_MAX are ranked. */
export const SEARCH_TEXTS_PLAIN_MAX = 5_000
export const SEARCH_TEXTS_MAX = 20_000
/** The best of the appeals that match are ranked by all their texts, as many appeals as have no more texts than these. */
export const SEARCH_APPEALS_WHOLE_MAX = 32
export const SEARCH_TEXTS_WHOLE_MAX = 2_000

/** Tries of an indexing obligation before its appeal goes to quarantine. */
export const INDEX_TRIES_MAX = 5
/** Wait before the first of them; each later one waits twice as long. */
export const INDEX_BACKOFF_MILLIS = 100
/** Appeals of one instance that wait for another try at once; above it the index itself counts as broken. */
export const INDEX_AGAIN_MAX = 200
/** Obligations taken from the outbox at once, and appeals of a page of the first build. */
export const OUTBOX_BATCH_MAX = 500
/** Messages, and bytes of their text, read and written at once; a single appeal may have more. */
export const INDEX_MESSAGES_AT_ONCE = 1_000
export const INDEX_BYTES_AT_ONCE = 8 * 1024 * 1024
/** An appeal with more text than this is refused, and goes to quarantine. */
export const INDEX_APPEAL_BYTES_MAX = 64 * 1024 * 1024
/** How often the outbox is looked at without being poked, and while an open transaction holds a change back. */
export const OUTBOX_POLL_MILLIS = 250
export const OUTBOX_HELD_MILLIS = 20
/** The pause after a look that found nothing late, so that writes that come one after the other are indexed together. */
export const OUTBOX_GATHER_MILLIS = 20
/** At most one notification of other processes in this time. */
export const OUTBOX_NOTIFY_MILLIS = 10
/** An index without work notes now and then how far it has seen, so that no sweep of the outbox passes it. */
export const PLACE_NOTED_MILLIS = 300_000
/** Waits of a projection that failed: the first, and the longest. */
export const PROJECTION_RETRY_MILLIS = 100
export const PROJECTION_RETRY_MILLIS_MAX = 5_000
/** Of several processes on one index the first projects; how long it may be silent, and how often it says that it lives. */
export const PROJECTION_LEASE_MILLIS = 3_000
export const PROJECTION_LEASE_RENEWED_MILLIS = 500
/** How often a process looks where an index stands that another may write, and how long it waits for that. */
export const SHARED_INDEX_SEEN_MILLIS = 500
export const SHARED_INDEX_SEEN_MILLIS_MAX = 2_000
/** How long an index that was served stays after another took its place: until every process has looked. */
export const SHARED_INDEX_KEPT_MILLIS = 3_000
/** How often a process tells where its indexes stand, unchanged ones seldom, and when a silent one is forgotten. */
export const STANDING_MILLIS = 1_000
export const STANDING_UNCHANGED_MILLIS = 10_000
export const STANDING_SILENT_MILLIS_MAX = 60_000
/** Obligations counted as waiting; more show as this. */
export const WAITING_COUNTED_MAX = 10_000
/** Obligations older than this are deleted, so many at once, so often; an index that missed them builds anew. */
export const OUTBOX_KEPT_MILLIS = 86_400_000
export const OUTBOX_SWEEP_ROWS_MAX = 5_000
export const OUTBOX_SWEEP_MILLIS = 60_000

/** Connections to OpenSearch, and how long one call may take: any, a bulk write, the look whether it is back. */
export const OPENSEARCH_SOCKETS_MAX = 64
export const OPENSEARCH_CALL_MILLIS_MAX = 10_000
export const OPENSEARCH_BULK_MILLIS_MAX = 60_000
export const OPENSEARCH_PROBE_MILLIS_MAX = 1_000
/** Failures in a row after which callers no longer wait for it, how often it is looked for then, and what counts as slow. */
export const OPENSEARCH_BREAKER_FAILURES = 5
export const OPENSEARCH_PROBE_MILLIS = 250
export const OPENSEARCH_SLOW_MILLIS = 1_000
/** Bytes of one bulk write, unless a single document has more, and the most that one may have: OpenSearch takes 100 MB. */
export const OPENSEARCH_BULK_BYTES_MAX = 8 * 1024 * 1024
export const OPENSEARCH_DOCUMENT_BYTES_MAX = 90 * 1024 * 1024
/** An appeal with more bytes of text is indexed without spellings and families of its words, which only weigh. */
export const OPENSEARCH_SPELLED_BYTES_MAX = 8 * 1024 * 1024
/** Tries of a call that may succeed a moment later, and the wait before the second of a write and of a search. */
export const OPENSEARCH_WRITE_TRIES_MAX = 4
export const OPENSEARCH_WRITE_WAIT_MILLIS = 100
export const OPENSEARCH_SEARCH_TRIES_MAX = 3
export const OPENSEARCH_SEARCH_WAIT_MILLIS = 20
/** What is left of a deadline when the engine itself gives up, so that its answer still arrives. */
export const OPENSEARCH_ANSWER_MILLIS = 10

/** JSON bodies (docs/contract.md §1, §10). */
export const JSON_DEPTH_MAX = 64
/** Named members of all objects of a body, and values in all of its arrays: what 256 KiB can hold, in larger bodies too. */
export const JSON_NAMES_MAX = 32_768
export const JSON_ITEMS_MAX = 131_072
/** Routes, requests and their ids (docs/contract.md §1). */
/** Faults of shape that one answer lists. */
export const VIOLATIONS_MAX = 100
export const REQUEST_ID_CHARACTERS_MAX = 128
export const PATH_PARAMETER_CHARACTERS_MAX = 4_096
export const BODY_BYTES_MAX = 256 * 1024
export const BODY_BYTES_IMPORT_MAX = 6 * 1024 * 1024 + 16 * 1024
export const HEADER_BYTES_MAX = 16 * 1024
export const HEADER_READ_MILLIS_MAX = 10_000
export const BODY_READ_MILLIS_MAX = 30_000
/** How long an answer may take its reader, from its first byte on. */
export const ANSWER_TAKEN_MILLIS_MAX = 60_000
/** Connections at once; more are closed as they come. */
export const CONNECTIONS_MAX = 8_192
/** How long a kept-alive connection may be idle, and how often the deadlines above are checked. */
export const CONNECTION_IDLE_MILLIS_MAX = 65_000
export const CONNECTION_CHECK_MILLIS = 1_000
export const DRAIN_MILLIS_MAX = 10_000
/** Requests that wait while the service starts behind its open port; the connections of more are closed. */
export const EARLY_REQUESTS_MAX = 1_000

/** A page of a list, a transcript or a session ends before its body exceeds this; kept free for what is no record (§12). */
export const PAGE_BYTES_MAX = 1_048_576
export const PAGE_ENVELOPE_BYTES = 16_384
/** Transcript and session pages. */
export const PageLimits = { minimum: 1, default: 50, maximum: 100 } as const satisfies Bounded
/** Lists (docs/contract.md §1.2). */
export const ListLimits = { minimum: 1, default: 10, maximum: 100 } as const satisfies Bounded
export const OffsetLimits = { minimum: 0, default: 0, maximum: 1_000_000 } as const satisfies Bounded
/** Longest cursor: three texts of the largest size fit into it, and nothing above it is looked at. */
export const CURSOR_CHARACTERS_MAX = 4_096
/** Names, login names, external ids and names of keys (docs/contract.md §1.3, §2). */
export const NAME_POINTS_MAX = 255
/** Members of the records of the general interface (docs/contract.md §9). */
export const SHORT_TEXT_POINTS_MAX = 200
export const LONG_TEXT_POINTS_MAX = 10_000
/** Texts with a form of their own. */
export const EMAIL_POINTS_MAX = 254
export const TIMEZONE_POINTS_MAX = 64
export const LANGUAGE_POINTS_MAX = 200
export const ARRAY_MEMBERS_MAX = 1_000
export const CUSTOM_FIELDS_BYTES_MAX = 16 * 1024
/** Appeals that a user may be given at once. */
export const CAPACITY_MAX = 1_000
/** Messages of appeals, and how many a create with history carries (docs/contract.md §7). */
export const APPEAL_TEXT_POINTS_MAX = 65_536
export const HISTORY_MESSAGES_MAX = 1_000
export const TICKET_STATUSES_MAX = 100

/** Sessions and tokens (docs/contract.md §2). */
export const ACCESS_TOKEN_SECONDS = 900
export const REFRESH_TOKEN_SECONDS = 2_592_000
/** However often it is refreshed, a session ends this long after its login. */
export const SESSION_SECONDS_MAX = 7_776_000
/** How long an invitation waits for its user (docs/contract.md §12). */
export const INVITATION_SECONDS = 604_800
/** Tokens that a token was made through, each with the one before (docs/contract.md §12). */
export const TOKEN_ANCESTORS_MAX = 16
/** External tokens of one maker that are neither deleted nor expired (docs/contract.md §2). */
export const EXTERNAL_TOKENS_MAX = 1_000
export const PASSWORD_POINTS_MIN = 8
export const PASSWORD_POINTS_MAX = 128
/** How long a failed login counts, and how many names and addresses are counted at once. */
export const FAILED_LOGIN_WINDOW_MILLIS = 300_000
export const LOGIN_GUARD_KEYS_MAX = 100_000
/** Logins that are being judged or wait for it; more are refused. */
export const LOGINS_AT_ONCE_MAX = 1_000
export const LOGINS_AT_ONCE_ADDRESS_MAX = 250
/** Passwords hashed at once: each holds a thread and 19 MiB. What waits for it, of one address too, and how long. */
export const PASSWORD_HASHES_AT_ONCE_MAX = 2
export const PASSWORD_HASHES_WAITING_MAX = 500
export const PASSWORD_HASHES_WAITING_ADDRESS_MAX = 125
export const PASSWORD_HASH_WAIT_MILLIS_MAX = 10_000
/** Addresses remembered of a user's logins, and how long: a name that others block lets them in (docs/contract.md §12). */
export const LOGIN_ADDRESSES_MAX = 20
export const LOGIN_ADDRESS_DAYS = 30
/** Access tokens whose signature is remembered. */
export const VERIFIED_TOKENS_MAX = 10_000
/** How long authentication waits for the database. */
export const AUTHENTICATION_MILLIS_MAX = 2_000
/** Ended sessions and spent refresh tokens deleted at once, and how often that is done. */
export const SESSION_SWEEP_ROWS_MAX = 1_000
export const SESSION_SWEEP_MILLIS = 600_000
/** Audit entries of reads that wait to be written, and that are written at once. */
export const AUDIT_QUEUE_ENTRIES_MAX = 10_000
export const AUDIT_BATCH_ENTRIES_MAX = 500
/** The pause after a batch that was not full; an entry is readable soon after it. */
export const AUDIT_GATHER_MILLIS = 100
/** What a stop gives the audit log to write what is left. */
export const AUDIT_DRAIN_MILLIS_MAX = 5_000
/** Longest refresh token that is looked at. */
export const TOKEN_CHARACTERS_MAX = 4_096

/** Rates and concurrency, each overridden by RAPPORT_LIMIT_<NAME> (docs/contract.md §10). */
export const TrafficDefaults = {
  CONTEXT_READS_PER_MINUTE: 600,
  CONTEXT_READS_AT_ONCE: 16,
  CONTEXT_READS_AT_ONCE_INSTANCE: 64,
  CONTEXT_WRITES_PER_MINUTE: 1_200,
  REST_PER_MINUTE: 600,
  REST_AT_ONCE: 32,
  REST_AT_ONCE_INSTANCE: 128,
  ANONYMOUS_PER_MINUTE: 120,
  APPEAL_IMPORTS_PER_MINUTE: 15_000,
  CALLS_PER_MINUTE: 300,
  FAILED_LOGINS_PER_5_MINUTES: 5,
  FAILED_LOGINS_PER_5_MINUTES_ADDRESS: 20
} as const
export type TrafficLimit = keyof typeof TrafficDefaults
export type TrafficLimits = Readonly<Record<TrafficLimit, number>>

/** Orders of one list, values of one in or nin, and how far a total is counted (docs/contract.md §1.2). */
export const LIST_ORDERS_MAX = 3
export const LIST_VALUES_MAX = 100
export const LIST_TOTAL_MAX = 10_000
export const SEARCH_TEXT_POINTS_MAX = 512

/** Receipts of idempotent writes: days that they are kept, and how long an equal command waits for the first (§1.3). */
export const RECEIPT_DAYS_MIN = 7
/** Days that receipts of context writes are kept, imports included; 0: for ever. */
export const ReceiptDaysLimits = { minimum: 0, default: 0, maximum: 36_500 } as const satisfies Bounded
export const RECEIPT_WAIT_MILLIS_MAX = 2_000
/** Receipts and import batches deleted at once, and how often that is done. */
export const RECEIPT_SWEEP_ROWS_MAX = 1_000
export const IMPORT_SWEEP_ROWS_MAX = 100
export const RECEIPT_SWEEP_MILLIS = 600_000

/** Settings of a process (docs/contract.md §11). */
export const PoolSizeLimits = { minimum: 2, default: 16, maximum: 500 } as const satisfies Bounded
export const DeliveryAttemptsLimits = { minimum: 1, default: 8, maximum: 100 } as const satisfies Bounded
export const DeliveryBackoffMillisLimits = {
  minimum: 1,
  default: 1_000,
  maximum: 3_600_000
} as const satisfies Bounded
export const DeliveryTimeoutMillisLimits = {
  minimum: 1,
  default: 10_000,
  maximum: 300_000
} as const satisfies Bounded
/** What RAPPORT_LIMIT_<NAME> may be set to. */
export const TrafficLimitBounds = { minimum: 1, maximum: 1_000_000_000 } as const

/** Actions and state of a client (docs/contract.md §4), as canonical UTF-8 JSON. */
export const ACTION_PAYLOAD_BYTES_MAX = 65_536
export const STATE_BYTES_MAX = 65_536
/** Namespaces of the state of one client (§12, "State"). */
export const CLIENT_NAMESPACES_MAX = 64
export const ACTION_TYPE_CHARACTERS_MAX = 128
export const NAMESPACE_CHARACTERS_MAX = 64

/** Sessions (docs/contract.md §5): UTF-8 bytes of a message and of a working context, and the entries of its lists. */
export const SESSION_MESSAGE_BYTES_MAX = 1_048_576
export const WORKING_CONTEXT_BYTES_MAX = 8_192
export const WORKING_CONTEXT_GOALS_MAX = 20
export const WORKING_CONTEXT_ENTRIES_MAX = 50
export const METADATA_BYTES_MAX = 16_384

/** Import batches (docs/contract.md §5): items, their canonical UTF-8 JSON, and how long a dead importer holds a batch. */
export const IMPORT_ITEMS_MAX = 100
export const IMPORT_BYTES_MAX = 1_048_576
export const IMPORT_LEASE_MILLIS = 5_000
/** How often an equal request looks whether the first one has ended. */
export const IMPORT_WATCH_MILLIS = 50

/** Tools for agents (docs/contract.md §6): what a call may take beyond `timeout_ms`, and any answer of the endpoint at all. */
export const TOOL_ANSWER_GRACE_MILLIS = 5_000
export const TOOL_EXCHANGE_MILLIS_MAX = 15_000
/** Messages of a batch, and bytes of the results of its calls; further calls are refused (docs/contract.md §6). */
export const TOOL_BATCH_MESSAGES_MAX = 20
export const TOOL_BATCH_BYTES_MAX = 2 * 1024 * 1024
/** Streams of clients that listen for changes of the tools, of which there are none. */
export const TOOL_LISTENERS_MAX = 256
/** How long a client may keep the list of tools, which changes with a new version alone. */
export const TOOL_LIST_KEPT_MILLIS = 3_600_000

/** Client memory: entries asked of its index at most, and how much wider it is asked when hidden ones were dropped. */
export const MEMORY_CANDIDATES_MAX = 800
export const MEMORY_WIDENING = 4

/** Statistics (docs/contract.md §9.3): days of a range, rows of a report, working hours of a calendar, the longest target. */
export const STATISTICS_DAYS_MAX = 366
export const STATISTICS_ROWS_MAX = 10_000
export const CALENDAR_INTERVALS_MAX = 168
export const SLA_SECONDS_MAX = 366 * 86_400
/** What a report may take, and how many run at once in a process. */
export const STATISTICS_MILLIS_MAX = 5_000
export const STATISTICS_AT_ONCE = 4
/** Rows of a list that a file is written from at once. */
export const CSV_PAGE_ROWS = 500

/** Custom data (docs/contract.md §9.2): fields of a model, a STRING, a pattern and what it compiles to, an upsert. */
export const MODEL_FIELDS_MAX = 100
export const RECORD_STRING_POINTS_MAX = 255
export const RECORD_PATTERN_POINTS_MAX = 200
export const RECORD_PATTERN_STEPS_MAX = 300
export const RECORD_UPSERT_MAX = 100
/** Members of a group of a search, how deep groups are nested, and members of all of them. */
export const SEARCH_MEMBERS_MAX = 15
export const SEARCH_DEPTH_MAX = 3
