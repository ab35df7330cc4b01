/**
 * The statements of the floor. They write the rows that the engine writes for a send, its outcome and a check, into
 * the tables of the engine. Values that are the same for all rows stand in the text.
 */

const schema = "countersign"

/** The number of the load; the floor has no number plans. */
const country = "BD"

/** An hour, and the UTC day that it belongs to. */
const slots = (at: string): string =>
  `(VALUES ('hour', ${at} - ${at} % 3600000), ('day', ${at} - ${at} % 86400000)) AS slots (slot, hour)`

const addTotals = (rows: string): string => `
  INSERT INTO ${schema}.totals
    (organization, hour, slot, kind, channel, gateway, country, outcome, count, amount, refunded)
  ${rows}
  ON CONFLICT (organization, kind, slot, hour, channel, gateway, country, outcome)
    DO UPDATE SET count = totals.count + excluded.count, amount = totals.amount + excluded.amount`

/** Signs the transaction, as the engine does, so that a repeated one is found. */
const sign = (organization: string, batch: string): string => `
  INSERT INTO ${schema}.lanes (organization, id, batch) VALUES (${organization}, 'floor', ${batch})
    ON CONFLICT (organization, id) DO UPDATE SET batch = excluded.batch, seen_at = now()`

/** New requests, and the outcomes of earlier ones. */
const send = `(
    -- 1: the time, and the batch
    int8, int8,
    -- 3: accounts
    text[], int8[], int8[], int8[], int8[], int8[], int8[], int8[], int8[],
    -- 12: requests
    text[], int8[], text[], text[], text[], bytea[], bytea[], int8[], int8[], int8[], int8[],
    -- 23: outcomes
    text[], int8[], text[], text[], int8[], int8[], int8[], int8[]
  ) AS
  WITH changed AS MATERIALIZED (
    SELECT * FROM unnest($3, $4, $5, $6, $7, $8, $9, $10, $11)
      AS changed (organization, balance, held, entries, last_message, last_event, spent, opened, delivered)
  ), requested AS MATERIALIZED (
    SELECT * FROM unnest($12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
      AS requested (organization, sequence, id, request_id, phone_number, digest, sealed, expires_at, entry, balance,
        held)
  ), settled AS MATERIALIZED (
    SELECT * FROM unnest($23, $24, $25, $26, $27, $28, $29, $30)
      AS settled (organization, sequence, request_id, phone_number, event, entry, balance, held)
  ), accounts AS (
    UPDATE ${schema}.accounts a SET balance = changed.balance, held = changed.held, entries = changed.entries,
      last_message = changed.last_message, last_event = changed.last_event, last_at = $1,
      spent_on = $1 / 86400000, spent = changed.spent, stamp = a.stamp + 1
    FROM changed WHERE a.organization = changed.organization
  ), recipients AS (
    INSERT INTO ${schema}.recipients (organization, phone_number, sends, pending)
    SELECT organization, phone_number, ARRAY[$1], jsonb_build_array(jsonb_build_array(request_id, expires_at))
    FROM requested
    ON CONFLICT (organization, phone_number) DO UPDATE
      SET sends = recipients.sends || excluded.sends, pending = recipients.pending || excluded.pending
  ), verifications AS (
    INSERT INTO ${schema}.verifications (organization, request_id, phone_number, channel, status, created_at,
      expires_at, attempts_remaining, digest, pepper, sealed, message_sequence, may_have_arrived, resends, sent_at)
    SELECT organization, request_id, phone_number, 'sms', 'pending', $1, expires_at, 3, digest, 'bench', sealed,
      sequence, false, 0, $1
    FROM requested
  ), messages AS (
    INSERT INTO ${schema}.messages (organization, sequence, id, phone_number, text, channel, log_channel, sender,
      request_id, status, charge, hold, gateway, created_at, attempt, due_at, settle_by, anomalies, reports)
    SELECT organization, sequence, id, phone_number,
      '•••••• is your verification code. Do not share it with anyone.', 'sms', 'non-mask', '8809612000000',
      request_id, 'pending', 5000, 'open', 'instant', $1, 1, $1 + 70000, $1 + 86400000, 0, 0
    FROM requested
  ), open_messages AS (
    INSERT INTO ${schema}.open_messages (organization, sequence, due_at)
    SELECT organization, sequence, $1 + 70000 FROM requested
  ), holds AS (
    INSERT INTO ${schema}.entries (organization, sequence, kind, amount, balance, held, message_sequence, at)
    SELECT organization, entry, 'hold', 5000, balance, held, sequence, $1 FROM requested
  ), delivered AS (
    UPDATE ${schema}.messages m SET status = 'delivered', hold = 'captured', gateway_id = 'instant_' || m.id,
      due_at = NULL
    FROM settled WHERE m.organization = settled.organization AND m.sequence = settled.sequence
  ), closed AS (
    DELETE FROM ${schema}.open_messages o USING settled
    WHERE o.organization = settled.organization AND o.sequence = settled.sequence
  ), captures AS (
    INSERT INTO ${schema}.entries (organization, sequence, kind, amount, balance, held, message_sequence, at)
    SELECT organization, entry, 'capture', 5000, balance, held, sequence, $1 FROM settled
  ), events AS (
    INSERT INTO ${schema}.events (organization, sequence, at, type, request_id, message_sequence, phone_number,
      channel, status)
    SELECT organization, event, $1, 'MessageSettled', NULL, sequence, NULL, 'sms', 'delivered' FROM settled
    UNION ALL
    SELECT organization, event + 1, $1, 'VerificationSent', request_id, NULL, phone_number, 'sms', NULL FROM settled
  ), totals AS (${addTotals(`
    SELECT organization, hour, slot, kind, channel, gateway, '${country}', outcome, count, amount, 0
    FROM changed, ${slots("$1")}, LATERAL (VALUES
      ('requests', '', '', 'opened', opened, 0),
      ('requests', '', '', 'delivered', delivered, 0),
      ('messages', 'sms', 'instant', 'delivered', delivered, delivered * 5000)
    ) AS counted (kind, channel, gateway, outcome, count, amount) WHERE count > 0`)}
  )
  ${sign("$3[1]", "$2")}`

/** Checks. A wrong code spends an attempt. Returns the requests that were pending until then. */
const check = `(int8, int8, text[], text[], bytea[], int8[]) AS
  WITH given AS MATERIALIZED (
    SELECT * FROM unnest($3, $4, $5, $6) AS given (organization, request_id, digest, last_event)
  ), checked AS (
    UPDATE ${schema}.verifications v SET
      status = CASE WHEN v.digest = given.digest THEN 'verified'
        WHEN v.attempts_remaining = 1 THEN 'failed' ELSE 'pending' END,
      verified_at = CASE WHEN v.digest = given.digest THEN $1 END,
      attempts_remaining = v.attempts_remaining - (v.digest <> given.digest)::int4,
      sealed = CASE WHEN v.digest <> given.digest AND v.attempts_remaining > 1 THEN v.sealed END
    FROM given
    WHERE v.organization = given.organization AND v.request_id = given.request_id
      AND v.status = 'pending' AND v.expires_at > $1
    RETURNING v.organization, v.request_id, v.phone_number, v.status, v.attempts_remaining, given.last_event
  ), ended AS MATERIALIZED (
    SELECT *, row_number() OVER (PARTITION BY organization) AS position FROM checked WHERE status <> 'pending'
  ), recipients AS (
    UPDATE ${schema}.recipients r SET pending = CASE jsonb_array_length(r.pending) WHEN 1 THEN '[]' ELSE coalesce((
      SELECT jsonb_agg(one) FROM jsonb_array_elements(r.pending) one WHERE one ->> 0 <> ALL (of.ids)
    ), '[]') END
    FROM (SELECT organization, phone_number, array_agg(request_id) AS ids FROM ended GROUP BY 1, 2) AS of
    WHERE r.organization = of.organization AND r.phone_number = of.phone_number
  ), accounts AS (
    UPDATE ${schema}.accounts a SET last_event = of.last_event + of.ended, last_at = $1, stamp = a.stamp + 1
    FROM (
      SELECT organization, min(last_event) AS last_event, count(*) FILTER (WHERE status <> 'pending') AS ended
      FROM checked GROUP BY 1
    ) AS of
    WHERE a.organization = of.organization
  ), events AS (
    INSERT INTO ${schema}.events (organization, sequence, at, type, request_id, phone_number, data)
    SELECT organization, last_event + position, $1, CASE status WHEN 'verified' THEN 'Verified' ELSE 'Failed' END,
      request_id, left(phone_number, 5) || '*****' || right(phone_number, 3),
      CASE status WHEN 'failed' THEN '{"reason": "attempts"}'::jsonb END
    FROM ended
  ), totals AS (${addTotals(`
    SELECT organization, hour, slot, 'requests', '', '', '${country}', status, count, 0, 0
    FROM (SELECT organization, status, count(*) AS count FROM ended GROUP BY 1, 2) AS of, ${slots("$1")}`)}
  ), signed AS (${sign("$3[1]", "$2")}
  )
  SELECT organization, request_id, phone_number, status, attempts_remaining FROM checked`

export const statements = { send, check }
