// Logins are compared by `fold_text`: without regard to case, the Unicode form and the kind of apostrophe.
export const foldedLogins: ReadonlyArray<string> = [
  // A login that would become another user's gets the user's id behind it.
  `update users account set login = named.login
    from (select id, case when row_number() over (partition by fold_text(btrim(login)) order by id) = 1
        then normalize(btrim(login), NFC) else normalize(btrim(login), NFC) || '-' || id end as login from users) named
    where named.id = account.id and named.login <> account.login`,
  `drop index users_login`,
  `create unique index users_login on users (fold_text(login))`
]
