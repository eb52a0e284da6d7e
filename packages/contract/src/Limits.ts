// Every limit that the contract promises. `pnpm run openapi` writes the comments and values into docs/contract/10-limits.md, except of
// limits marked @schema: the OpenAPI document states them as bounds. Tuning numbers are next to their only reader, or in the
// *Limits.ts of their folder.

/** A number that the caller may choose. */
export interface NumericLimit {
  readonly minimum: number
  readonly default: number
  readonly maximum: number
}

// Context read

/** The numeric limits of a context read (contract §3.1). */
export const ContextLimits = {
  /** Appeals or entries of each target. */
  topK: { minimum: 1, default: 8, maximum: 20 },
  /** Distinct visible appeals that the request considers, over all targets. */
  candidateLimit: { minimum: 1, default: 80, maximum: 200 },
  /** Snippets of one appeal. */
  maxSnippetsPerAppeal: { minimum: 1, default: 3, maximum: 5 },
  /** Bytes of the answer. */
  maxResponseBytes: { minimum: 1024, default: 65_536, maximum: 262_144 },
  /** Tokens of the answer. */
  tokenBudget: { minimum: 64, default: 8_000, maximum: 8_000 },
  /** Deadline in milliseconds. */
  timeoutMs: { minimum: 50, default: 2_000, maximum: 5_000 },
  /** Actions of the section. */
  actionsLimit: { minimum: 1, default: 20, maximum: 100 }
} as const satisfies Record<string, NumericLimit>

/** Code points of `query`. @schema */
export const QUERY_POINTS_MAX = 512
/** Ids in the error AMBIGUOUS. */
export const AMBIGUOUS_IDS_MAX = 10
/** Milliseconds that an answer may take beyond `timeoutMs`. */
export const ANSWER_GRACE_MILLIS = 50
/** Code points of a snippet. */
export const SNIPPET_POINTS_MAX = 1_000
/** Dropped items that `explain` lists. */
export const EXPLAINED_DROPS_MAX = 100
/** Latest messages shown of a previous conversation. */
export const CONVERSATION_MESSAGES_MAX = 10
/** Long appeals, and quarantined appeals, that coverage names. */
export const FLAGGED_APPEALS_MAX = 10
/** Code points shown of a text of a conversation, interaction or memory. A longer text is cut. */
export const SHOWN_TEXT_POINTS_MAX = 2_000
/** Code points of the JSON of the tags of an appeal in a pack, and of its custom fields. What exceeds them is left out. */
export const APPEAL_LABELS_POINTS_MAX = 1_000
/** Age in milliseconds of the oldest change that is not indexed, above which a pack is partial (index_lag). */
export const INDEX_LAG_MILLIS_MAX = 5_000

// Appeals by size

/** Messages above which an appeal may be indexed late (POSSIBLE_DELAY). */
export const APPEAL_MESSAGES_NORMAL_MAX = 1_000
/** Messages above which an appeal is not searchable (SEARCH_COVERAGE_INCOMPLETE). */
export const APPEAL_MESSAGES_INDEXED_MAX = 5_000

// HTTP

/** Nesting levels of a JSON body. */
export const JSON_DEPTH_MAX = 64
/** Members of all objects of a body together. */
export const JSON_NAMES_MAX = 32_768
/** Values in all arrays of a body together. */
export const JSON_ITEMS_MAX = 131_072
/** Violations that one answer lists. */
export const VIOLATIONS_MAX = 100
/** Characters of `X-Request-Id`. */
export const REQUEST_ID_CHARACTERS_MAX = 128
/** Characters of a path parameter. */
export const PATH_PARAMETER_CHARACTERS_MAX = 4_096
/** Bytes of a request body. */
export const BODY_BYTES_MAX = 256 * 1024
/** Bytes of the body of a message or import route: 6 MiB, because escaping takes up to six bytes for a letter, and 16 KiB for the envelope. */
export const BODY_BYTES_IMPORT_MAX = 6 * 1024 * 1024 + 16 * 1024
/** Bytes of the request line and headers. */
export const HEADER_BYTES_MAX = 16 * 1024
/** Milliseconds in which the headers must arrive. */
export const HEADER_READ_MILLIS_MAX = 10_000
/** Milliseconds in which the body must arrive. */
export const BODY_READ_MILLIS_MAX = 30_000
/** Milliseconds in which the caller must read an answer, from its first byte. Then the connection is closed. */
export const ANSWER_TAKEN_MILLIS_MAX = 60_000
/** Milliseconds that a kept-alive connection may be idle. */
export const CONNECTION_IDLE_MILLIS_MAX = 65_000

/** Hours of reopenHours of a subject. @schema */
export const REOPEN_HOURS_MAX = 8_760

// Lists and records

/** Bytes of a page of a list, a transcript or a session. The page ends earlier, with at least one record. */
export const PAGE_BYTES_MAX = 1_048_576
/** `limit` of a transcript or session page. @schema */
export const PageLimits = { minimum: 1, default: 50, maximum: 100 } as const satisfies NumericLimit
/** `limit` of a list. @schema */
export const ListLimits = { minimum: 1, default: 10, maximum: 100 } as const satisfies NumericLimit
/** `offset` of a list. @schema */
export const OffsetLimits = { minimum: 0, default: 0, maximum: 1_000_000 } as const satisfies NumericLimit
/** Characters of a cursor. @schema */
export const CURSOR_CHARACTERS_MAX = 4_096
/** Code points of a login, an external id or an Idempotency-Key. @schema */
export const NAME_POINTS_MAX = 255
/** Code points of a name, title, label, channel, source, phone or tag. @schema */
export const SHORT_TEXT_POINTS_MAX = 200
/** Code points of a summary, reason, description or comment. @schema */
export const LONG_TEXT_POINTS_MAX = 10_000
/** Phones, and e-mail addresses, of a client. @schema */
export const CLIENT_CONTACTS_MAX = 20
/** `warnings` of a new client. */
export const CLIENT_WARNINGS_MAX = 10
/** Code points of an e-mail address. @schema */
export const EMAIL_POINTS_MAX = 254
/** Code points of the name of a time zone. @schema */
export const TIMEZONE_POINTS_MAX = 64
/** Code points of a language tag. @schema */
export const LANGUAGE_POINTS_MAX = 200
/** Items of an array of a record. @schema */
export const ARRAY_MEMBERS_MAX = 1_000
/** Bytes of `customFields`. */
export const CUSTOM_FIELDS_BYTES_MAX = 16 * 1024
/** `capacity` of a user. @schema */
export const CAPACITY_MAX = 1_000
/** Code points of a message of an appeal. @schema */
export const APPEAL_TEXT_POINTS_MAX = 65_536
/** Messages of the history in a create. @schema */
export const HISTORY_MESSAGES_MAX = 1_000
/** Changes of one bulk request. @schema */
export const BULK_CHANGES_MAX = 100
/** Changes of a bulk request that count as one request. */
export const BULK_CHANGES_COUNTED = 10
/** Ticket statuses of an instance. @schema */
export const TICKET_STATUSES_MAX = 100

// Files

/** Bytes of a file. */
export const FILE_BYTES_MAX = 25 * 1024 * 1024
/** Code points of the name of a file. @schema */
export const FILE_NAME_POINTS_MAX = 255
/** Characters of the media type of a file. */
export const MEDIA_TYPE_CHARACTERS_MAX = 255
/** Files of a message. @schema */
export const ATTACHMENTS_MAX = 10
/** Seconds that a link to a file works, from the time of its message. */
export const FILE_LINK_SECONDS = 604_800
/** Seconds after which a file that no message has is deleted. */
export const FILE_UNUSED_SECONDS = 86_400

// Access

/** Lifetime of an access token in seconds. */
export const ACCESS_TOKEN_SECONDS = 900
/** Lifetime of a refresh token in seconds. */
export const REFRESH_TOKEN_SECONDS = 2_592_000
/** Lifetime of a session in seconds, however often it is refreshed. */
export const SESSION_SECONDS_MAX = 7_776_000
/** Lifetime of an invitation in seconds. */
export const INVITATION_SECONDS = 604_800
/** Length of a chain of external tokens, each made with the previous one. */
export const TOKEN_ANCESTORS_MAX = 16
/** External tokens of one user that are neither deleted nor expired. */
export const EXTERNAL_TOKENS_MAX = 1_000
/** Code points of a password, minimum. @schema */
export const PASSWORD_POINTS_MIN = 8
/** Code points of a password. @schema */
export const PASSWORD_POINTS_MAX = 128
/** Milliseconds that a failed login counts. */
export const FAILED_LOGIN_WINDOW_MILLIS = 300_000
/** Characters of a refresh token. @schema */
export const TOKEN_CHARACTERS_MAX = 4_096

// Rates

/** Rates and concurrency. `RAPPORT_LIMIT_<NAME>` overrides each. */
export const TrafficDefaults = {
  /** Context reads per minute, of a principal. */
  CONTEXT_READS_PER_MINUTE: 600,
  /** Concurrent context reads of a principal. */
  CONTEXT_READS_AT_ONCE: 16,
  /** Concurrent context reads of an instance. */
  CONTEXT_READS_AT_ONCE_INSTANCE: 64,
  /** Context writes per minute, of a principal: actions, state, sessions, imports. */
  CONTEXT_WRITES_PER_MINUTE: 1_200,
  /** Requests to all other routes per minute, of a principal. */
  REST_PER_MINUTE: 600,
  /** Concurrent requests other than context reads, of a principal. */
  REST_AT_ONCE: 32,
  /** Concurrent requests other than context reads, of an instance. */
  REST_AT_ONCE_INSTANCE: 128,
  /** Logins, refreshes, accepted invitations and wrong tokens per minute, of an address. */
  ANONYMOUS_PER_MINUTE: 120,
  /** Creates with history per minute, of a principal. */
  APPEAL_IMPORTS_PER_MINUTE: 15_000,
  /** Requests to call_node per minute, of a principal. */
  CALLS_PER_MINUTE: 300,
  /** Failed logins in 5 minutes, of a login name. */
  FAILED_LOGINS_PER_5_MINUTES: 5,
  /** Failed logins in 5 minutes, of an address. */
  FAILED_LOGINS_PER_5_MINUTES_ADDRESS: 20,
  /** Concurrent logins of all instances, waiting ones included. */
  LOGINS_CONCURRENT: 1_000,
  /** Concurrent logins of an address, and separately its inbound requests before their signature is verified. */
  LOGINS_CONCURRENT_ADDRESS: 250
} as const
export type TrafficLimit = keyof typeof TrafficDefaults
export type TrafficLimits = Readonly<Record<TrafficLimit, number>>

// Filters and orders

/** `order` parameters of a list. */
export const LIST_ORDERS_MAX = 3
/** Values of one `in` or `nin`. @schema */
export const LIST_VALUES_MAX = 100
/** Rows up to which `total` is exact. */
export const LIST_TOTAL_MAX = 10_000
/** Code points of `q`. @schema */
export const SEARCH_TEXT_POINTS_MAX = 512

// Idempotent writes

/** Days that a receipt is kept, minimum. */
export const RECEIPT_DAYS_MIN = 7
/** Milliseconds that a concurrent repeat waits for the first request. */
export const RECEIPT_WAIT_MILLIS_MAX = 2_000

// Actions and state

/** Bytes of `payload`, as canonical JSON. */
export const ACTION_PAYLOAD_BYTES_MAX = 65_536
/** Bytes of one namespace, as canonical JSON. */
export const STATE_BYTES_MAX = 65_536
/** Namespaces of one client. */
export const CLIENT_NAMESPACES_MAX = 64
/** Characters of `type` of an action. */
export const ACTION_TYPE_CHARACTERS_MAX = 128
/** Characters of the name of a namespace. */
export const NAMESPACE_CHARACTERS_MAX = 64

// Sessions

/** Bytes of a session message in UTF-8. */
export const SESSION_MESSAGE_BYTES_MAX = 1_048_576
/** Bytes of a working context, as canonical JSON. */
export const WORKING_CONTEXT_BYTES_MAX = 8_192
/** `goals` of a working context. @schema */
export const WORKING_CONTEXT_GOALS_MAX = 20
/** `tasks`, `entities`, `assertions` and `sources` of a working context, each. @schema */
export const WORKING_CONTEXT_ENTRIES_MAX = 50
/** Bytes of the metadata of a session or message. */
export const METADATA_BYTES_MAX = 16_384

// Import batches

/** Items of an import batch. @schema */
export const IMPORT_ITEMS_MAX = 100
/** Items of a batch that count as one write. */
export const IMPORT_ITEMS_COUNTED = 25
/** Bytes of `items`, as canonical JSON. */
export const IMPORT_BYTES_MAX = 1_048_576

// Tools for agents

/** Milliseconds that a tool call may take beyond `timeout_ms`. */
export const TOOL_ANSWER_GRACE_MILLIS = 5_000
/** Milliseconds after which an exchange without an answer ends (504). */
export const TOOL_EXCHANGE_MILLIS_MAX = 15_000
/** Messages of a batch. */
export const TOOL_BATCH_MESSAGES_MAX = 20
/** Bytes of the results of a batch. Further calls fail. */
export const TOOL_BATCH_BYTES_MAX = 2 * 1024 * 1024
/** Open streams of clients that listen for changes. */
export const TOOL_LISTENERS_MAX = 256
/** Milliseconds that a client may cache the list of tools. */
export const TOOL_LIST_KEPT_MILLIS = 3_600_000

// Statistics

/** Days of the range of a report. */
export const STATISTICS_DAYS_MAX = 366
/** Rows of a report. */
export const STATISTICS_ROWS_MAX = 10_000
/** Intervals of the working hours of a calendar. @schema */
export const CALENDAR_INTERVALS_MAX = 168
/** Intervals of working time that one report evaluates, over all calendars. */
export const WORKING_STRETCHES_MAX = 50_000
/** Seconds of a target. @schema */
export const SLA_SECONDS_MAX = 366 * 86_400
/** Overrides of a target: one for each kind, with each priority or none. @schema */
export const SLA_OVERRIDES_MAX = 10
/** Milliseconds of a report in the database. */
export const STATISTICS_MILLIS_MAX = 5_000
/** Concurrent reports of a process. */
export const REPORTS_CONCURRENT = 4

// Custom data

/** Fields of a model. @schema */
export const MODEL_FIELDS_MAX = 100
/** Code points of a STRING. */
export const RECORD_STRING_POINTS_MAX = 255
/** Code points of a pattern. @schema */
export const RECORD_PATTERN_POINTS_MAX = 200
/** Steps of a compiled pattern. */
export const RECORD_PATTERN_STEPS_MAX = 300
/** Records of one upsert. @schema */
export const RECORD_UPSERT_MAX = 100
/** Members of a group of a search. @schema */
export const SEARCH_MEMBERS_MAX = 15
/** Nesting levels of groups of a search. */
export const SEARCH_DEPTH_MAX = 3

// Bots and calls

/** Characters of the URL of a webhook. @schema */
export const WEBHOOK_URL_CHARACTERS_MAX = 2_048
/** Characters of the secret or token of a connector. @schema */
export const CONNECTOR_SECRET_CHARACTERS_MAX = 256
/** Bytes of a webhook secret, minimum. */
export const WEBHOOK_SECRET_BYTES_MIN = 24
/** Bytes of a webhook secret. */
export const WEBHOOK_SECRET_BYTES_MAX = 64
/** Milliseconds that `timestamp` of an inbound message may lie ahead. It then counts as now. */
export const PROVIDER_AHEAD_MILLIS_MAX = 300_000
/** Bytes of the data of a call, as canonical JSON. */
export const CALL_DATA_BYTES_MAX = 65_536
/** Code points of `message` of a call. */
export const CALL_MESSAGE_POINTS_MAX = 4_096

// Broadcasts

/** `ratePerMinute` of a broadcast. @schema */
export const BroadcastRateLimits = {
  minimum: 1,
  default: 600,
  maximum: 6_000
} as const satisfies NumericLimit
/** Clients of an audience. */
export const BROADCAST_RECIPIENTS_MAX = 50_000
/** Fields of the filter of an audience. */
export const AUDIENCE_CONDITIONS_MAX = 20
/** Texts that a preview shows. */
export const PREVIEW_SAMPLES = 5
