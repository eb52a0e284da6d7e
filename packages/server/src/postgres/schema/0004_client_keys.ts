// Finds clients by phone in any spelling and by e-mail without case.

/**
 * `phone_digits`: without `00`, the trunk prefix (`0`, `(0)`, or `8` before ten digits) and all that is no digit; null if
 * nothing is left. `same_phone`: equal digits, or one is the national form of the other, which has a country code more (`8`
 * if it was taken for a trunk prefix). `phone_end`: equal for the same phone, so that an index finds the candidates.
 */
export const clientKeys: ReadonlyArray<string> = [
  String.raw`create function phone_digits(phone text) returns text language sql immutable strict parallel safe
    return nullif(regexp_replace(
      regexp_replace(replace(phone, '(0)', ''), '[^0-9]', '', 'g'),
      case when phone ~ '^\s*\+' then '^0+' else '^(8(?=[0-9]{10}$))?0*' end, ''), '')`,
  `create function phone_end(phone text) returns text language sql immutable strict parallel safe
    return right(phone_digits(phone), 7)`,
  String.raw`create function has_country_code(longer text, shorter text) returns boolean
    language sql immutable strict parallel safe
    return shorter !~ '^\s*(\+|00)' and length(phone_digits(shorter)) >= 7
      and right(phone_digits(longer), length(phone_digits(shorter))) = phone_digits(shorter)
      and left(phone_digits(longer), -length(phone_digits(shorter))) ~ '^([178]|[2-9][0-9]{1,2})$'`,
  `create function same_phone(one text, other text) returns boolean language sql immutable strict parallel safe
    return phone_digits(one) = phone_digits(other) or has_country_code(one, other) or has_country_code(other, one)`,
  `create index clients_phone on clients (instance_id, phone_end(phone)) where phone is not null`,
  `create index clients_email on clients (instance_id, fold_text(email)) where email is not null`
]
