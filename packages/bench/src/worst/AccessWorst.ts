// Login, tokens and users: the largest legal bodies of each route (docs/security.md).
import { randomUUID } from "node:crypto"
import { many } from "./Bodies.ts"
import { words } from "./WorstData.ts"
import type { Entries } from "./WorstRequests.ts"

export const entries: Entries = {
  login: () => [["the longest", () => ({ login: "я".repeat(255), password: "я".repeat(128) })]],
  acceptInvitation: () => [["the longest", () => ({ token: "я".repeat(4_096), password: "я".repeat(128) })]],
  refresh: () => [["the longest", () => ({ refreshToken: "я".repeat(4_096) })]],
  createExternalToken: () => [
    [
      "250 KB of one permission",
      () => ({ name: "я".repeat(255), permissions: many(19_000, () => "chats.read") })
    ]
  ],
  createUser: () => [
    [
      "16 KiB of fields, 1,000 groups",
      () => ({
        login: randomUUID(),
        password: "я".repeat(128),
        firstName: "W",
        lastName: "W",
        roles: ["operator"],
        skillGroupIds: many(1_000, (n) => n + 1),
        customFields: { text: words(16_000) }
      })
    ]
  ],
  updateUser: () => [
    ["16 KiB of fields", () => ({ expectedVersion: 1, customFields: { text: words(16_000) } })]
  ],
  blockUser: () => [["with nobody to take over", () => ({})]],
  setPassword: () => [["the longest", () => ({ password: "я".repeat(128) })]],
  setPresence: () => [["away", () => ({ presence: "away" })]],
  logout: () => []
}
