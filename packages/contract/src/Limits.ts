// What a caller can meet: every bound that the contract promises, by module. Tuning numbers are beside their readers,
// in the *Limits.ts of their folder. Sources: contract §3.1, §10.

/** Default and maximum of a number that a caller may choose. */
export interface Bounded {
  readonly minimum: number
  readonly default: number
  readonly maximum: number
}

/** The numeric limits of a context read (contract §3.1). */
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
/** Code points of a snippet at most. */
export const SNIPPET_POINTS_MAX = 1_000
/** Latest messages shown of a previous conversation. */
export const CONVERSATION_MESSAGES_MAX = 10
/** Long and quarantined appeals that coverage names, of each kind. */
export const FLAGGED_APPEALS_MAX = 10
/** Code points shown of a text of a conversation, interaction or memory; a longer one is `truncated` (contract §3.2, "long texts"). */
export const SHOWN_TEXT_POINTS_MAX = 2_000
/** A committed change older than this and not indexed makes a pack partial (reason index_lag). */
export const INDEX_LAG_MILLIS_MAX = 5_000

/** Messages of an appeal that is indexed at once; one with more is indexed later. */
export const APPEAL_MESSAGES_NORMAL_MAX = 1_000
/** Messages of an appeal that is searchable; one with more is not. */
export const APPEAL_MESSAGES_INDEXED_MAX = 5_000

/** Nesting of a JSON body (contract §1, §10). */
export const JSON_DEPTH_MAX = 64
/** Named members of all objects of a body: what 256 KiB can hold, in larger bodies too. */
export const JSON_NAMES_MAX = 32_768
/** Values in all arrays of a body: what 256 KiB can hold, in larger bodies too. */
export const JSON_ITEMS_MAX = 131_072
/** Faults of shape that one answer lists. */
export const VIOLATIONS_MAX = 100
/** Characters of x-request-id. */
export const REQUEST_ID_CHARACTERS_MAX = 128
/** Characters of a path parameter. */
export const PATH_PARAMETER_CHARACTERS_MAX = 4_096
/** Bytes of a request body. */
export const BODY_BYTES_MAX = 256 * 1024
/** Bytes of the body of an import. */
export const BODY_BYTES_IMPORT_MAX = 6 * 1024 * 1024 + 16 * 1024
/** Bytes of the headers of a request. */
export const HEADER_BYTES_MAX = 16 * 1024
/** How long a request may take to send its headers. */
export const HEADER_READ_MILLIS_MAX = 10_000
/** How long a request may take to send its body. */
export const BODY_READ_MILLIS_MAX = 30_000
/** How long a caller may take to read an answer, from its first byte on. */
export const ANSWER_TAKEN_MILLIS_MAX = 60_000
/** How long a kept-alive connection may be idle. */
export const CONNECTION_IDLE_MILLIS_MAX = 65_000

/** A page of a list, a transcript or a session ends before its body exceeds this (contract §12). */
export const PAGE_BYTES_MAX = 1_048_576
/** Transcript and session pages. */
export const PageLimits = { minimum: 1, default: 50, maximum: 100 } as const satisfies Bounded
/** Records of a page of a list (contract §1.2). */
export const ListLimits = { minimum: 1, default: 10, maximum: 100 } as const satisfies Bounded
/** Records that a page of a list may skip (contract §1.2). */
export const OffsetLimits = { minimum: 0, default: 0, maximum: 1_000_000 } as const satisfies Bounded
/** Longest cursor: three texts of the largest size fit into it, and a longer one is not read. */
export const CURSOR_CHARACTERS_MAX = 4_096
/** Names, login names, external ids and names of keys (contract §1.3, §2). */
export const NAME_POINTS_MAX = 255
/** Code points of a short text of a record (contract §9). */
export const SHORT_TEXT_POINTS_MAX = 200
/** Code points of a long text of a record (contract §9). */
export const LONG_TEXT_POINTS_MAX = 10_000
/** Code points of a mail address. */
export const EMAIL_POINTS_MAX = 254
/** Code points of the name of a time zone. */
export const TIMEZONE_POINTS_MAX = 64
/** Code points of a language tag. */
export const LANGUAGE_POINTS_MAX = 200
/** Members of an array of a record. */
export const ARRAY_MEMBERS_MAX = 1_000
/** Bytes of the custom fields of a record. */
export const CUSTOM_FIELDS_BYTES_MAX = 16 * 1024
/** Appeals that a user may be given at once. */
export const CAPACITY_MAX = 1_000
/** Code points of a message of an appeal (contract §7). */
export const APPEAL_TEXT_POINTS_MAX = 65_536
/** Messages of the history that a create carries (contract §7). */
export const HISTORY_MESSAGES_MAX = 1_000
/** Ticket statuses of an instance. */
export const TICKET_STATUSES_MAX = 100

/** How long an access token is valid (contract §2). */
export const ACCESS_TOKEN_SECONDS = 900
/** How long a refresh token is valid (contract §2). */
export const REFRESH_TOKEN_SECONDS = 2_592_000
/** However often it is refreshed, a session ends this long after its login. */
export const SESSION_SECONDS_MAX = 7_776_000
/** How long an invitation waits for its user (contract §12). */
export const INVITATION_SECONDS = 604_800
/** Tokens that a token was made through, each with the one before (contract §12). */
export const TOKEN_ANCESTORS_MAX = 16
/** External tokens of one maker that are neither deleted nor expired (contract §2). */
export const EXTERNAL_TOKENS_MAX = 1_000
/** Code points of a password at least. */
export const PASSWORD_POINTS_MIN = 8
/** Code points of a password at most. */
export const PASSWORD_POINTS_MAX = 128
/** How long a failed login counts. */
export const FAILED_LOGIN_WINDOW_MILLIS = 300_000
/** Logins that are being checked or wait for it; more are refused. */
export const LOGINS_AT_ONCE_MAX = 1_000
/** Of these, logins from one address. */
export const LOGINS_AT_ONCE_ADDRESS_MAX = 250
/** Characters of a refresh token; a longer one is refused unread. */
export const TOKEN_CHARACTERS_MAX = 4_096

/** Rates and concurrency, each overridden by RAPPORT_LIMIT_<NAME> (contract §10). */
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

/** Orders of one list (contract §1.2). */
export const LIST_ORDERS_MAX = 3
/** Values of one `in` or `nin` (contract §1.2). */
export const LIST_VALUES_MAX = 100
/** A total is counted up to this number (contract §1.2). */
export const LIST_TOTAL_MAX = 10_000
/** Code points of the text that a list is searched for. */
export const SEARCH_TEXT_POINTS_MAX = 512

/** Days that a receipt of an idempotent write is kept at least (contract §1.3). */
export const RECEIPT_DAYS_MIN = 7
/** How long an equal command waits for the first one (contract §1.3). */
export const RECEIPT_WAIT_MILLIS_MAX = 2_000

/** Bytes of the payload of an action, as canonical UTF-8 JSON (contract §4). */
export const ACTION_PAYLOAD_BYTES_MAX = 65_536
/** Bytes of one namespace of the state of a client, as canonical UTF-8 JSON (contract §4). */
export const STATE_BYTES_MAX = 65_536
/** Namespaces of the state of one client (contract §12, "State"). */
export const CLIENT_NAMESPACES_MAX = 64
/** Characters of the type of an action. */
export const ACTION_TYPE_CHARACTERS_MAX = 128
/** Characters of the name of a namespace. */
export const NAMESPACE_CHARACTERS_MAX = 64

/** UTF-8 bytes of a session message (contract §5). */
export const SESSION_MESSAGE_BYTES_MAX = 1_048_576
/** UTF-8 bytes of a working context (contract §5). */
export const WORKING_CONTEXT_BYTES_MAX = 8_192
/** Goals of a working context. */
export const WORKING_CONTEXT_GOALS_MAX = 20
/** Entries of each other list of a working context. */
export const WORKING_CONTEXT_ENTRIES_MAX = 50
/** UTF-8 bytes of the metadata of a session or message. */
export const METADATA_BYTES_MAX = 16_384

/** Items of an import batch (contract §5). */
export const IMPORT_ITEMS_MAX = 100
/** An import batch counts as one write for each so many items that it begins (contract §10, "Weight"). */
export const IMPORT_ITEMS_COUNTED = 25
/** Bytes of the items of a batch, as canonical UTF-8 JSON (contract §5). */
export const IMPORT_BYTES_MAX = 1_048_576

/** What a tool call may take beyond `timeout_ms` (contract §6). */
export const TOOL_ANSWER_GRACE_MILLIS = 5_000
/** What any answer of the endpoint of tools may take (contract §6). */
export const TOOL_EXCHANGE_MILLIS_MAX = 15_000
/** Messages of a batch (contract §6). */
export const TOOL_BATCH_MESSAGES_MAX = 20
/** Bytes of the results of the calls of a batch; further calls are refused (contract §6). */
export const TOOL_BATCH_BYTES_MAX = 2 * 1024 * 1024
/** Streams of clients that listen for changes of the tools, of which there are none. */
export const TOOL_LISTENERS_MAX = 256
/** How long a client may keep the list of tools, which changes with a new version alone. */
export const TOOL_LIST_KEPT_MILLIS = 3_600_000

/** Days of the range of a report (contract §9.3). */
export const STATISTICS_DAYS_MAX = 366
/** Rows of a report. */
export const STATISTICS_ROWS_MAX = 10_000
/** Intervals of the working hours of a calendar. */
export const CALENDAR_INTERVALS_MAX = 168
/** Stretches of working time that one report looks its dialogues up in, of all calendars together. */
export const WORKING_STRETCHES_MAX = 50_000
/** The longest target. */
export const SLA_SECONDS_MAX = 366 * 86_400
/** What a report may take. */
export const STATISTICS_MILLIS_MAX = 5_000
/** Reports that run at once in a process. */
export const STATISTICS_AT_ONCE = 4

/** Fields of a model of custom data (contract §9.2). */
export const MODEL_FIELDS_MAX = 100
/** Code points of a STRING of a record. */
export const RECORD_STRING_POINTS_MAX = 255
/** Code points of a pattern. */
export const RECORD_PATTERN_POINTS_MAX = 200
/** Steps that a pattern compiles to. */
export const RECORD_PATTERN_STEPS_MAX = 300
/** Records of one upsert. */
export const RECORD_UPSERT_MAX = 100
/** How often an upsert looks again for keys that others made while it ran. */
export const RECORD_UPSERT_RETRIES_MAX = 10
/** Members of a group of a search of records. */
export const SEARCH_MEMBERS_MAX = 15
/** How deep groups of a search are nested. */
export const SEARCH_DEPTH_MAX = 3

/** Characters of the URL of a webhook (contract §8). */
export const WEBHOOK_URL_CHARACTERS_MAX = 2_048
/** Characters of the secret or token of a connector. */
export const CONNECTOR_SECRET_CHARACTERS_MAX = 256
/** Random bytes of a secret that the service makes. */
export const CONNECTOR_SECRET_BYTES = 32
/** Bytes of a secret of Standard Webhooks at least. */
export const WEBHOOK_SECRET_BYTES_MIN = 24
/** Bytes of a secret of Standard Webhooks at most. */
export const WEBHOOK_SECRET_BYTES_MAX = 64
/** Bytes of the data of a call, as canonical UTF-8 JSON (contract §8). */
export const CALL_DATA_BYTES_MAX = 65_536
/** Code points of the message of a call (contract §8). */
export const CALL_MESSAGE_POINTS_MAX = 4_096

/** Recipients of a broadcast in a minute (contract §9.1). */
export const BroadcastRateLimits = { minimum: 1, default: 600, maximum: 6_000 } as const satisfies Bounded
/** Clients of the audience of a broadcast. */
export const BROADCAST_RECIPIENTS_MAX = 50_000
/** Fields of the filter of an audience. */
export const AUDIENCE_CONDITIONS_MAX = 20
/** Texts that a preview shows. */
export const PREVIEW_SAMPLES = 5
