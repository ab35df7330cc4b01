/**
 * The tables and functions of the hand-written service; `handWritten.ts` lists the alternatives that were tried.
 *
 * The condition of a lookup by primary key has no other column. On empty tables, another index on a column
 * of the condition costs the planner the same. A cached plan with that index later reads the rows of a whole
 * organization to find one, which made this service three times slower within seconds.
 */

export const tables = `
  CREATE TABLE organizations (
    id int4 PRIMARY KEY,
    name text NOT NULL,
    sends_max int4 NOT NULL,
    sends_window int4 NOT NULL,
    checks_max int4 NOT NULL,
    checks_window int4 NOT NULL,
    pending_max int4 NOT NULL,
    attempts int4 NOT NULL
  );

  CREATE TABLE senders (
    organization int4 NOT NULL,
    id text NOT NULL,
    channel text NOT NULL,
    sender text NOT NULL,
    approved bool NOT NULL,
    is_default bool NOT NULL,
    PRIMARY KEY (organization, id)
  );

  CREATE TABLE api_keys (
    id text COLLATE "C" PRIMARY KEY,
    organization int4 NOT NULL,
    hash bytea NOT NULL,
    revoked_at int8
  );

  -- Room for new versions of the row on its own page: no index is touched, and dead ones are pruned.
  CREATE TABLE accounts (
    organization int4 PRIMARY KEY,
    balance int8 NOT NULL CHECK (balance >= 0),
    checks int8[] NOT NULL DEFAULT '{}'
  ) WITH (fillfactor = 25);

  CREATE TABLE verifications (
    id uuid PRIMARY KEY,
    organization int4 NOT NULL,
    number text COLLATE "C" NOT NULL,
    channel text NOT NULL,
    status text NOT NULL,
    created_at int8 NOT NULL,
    expires_at int8 NOT NULL,
    verified_at int8,
    attempts int4 NOT NULL,
    digest bytea NOT NULL,
    message int8 NOT NULL
  ) WITH (fillfactor = 85);
  -- The sends of a number lately, and those of them that are pending.
  CREATE INDEX verifications_number ON verifications (number, organization, created_at);

  CREATE TABLE messages (
    id int8 GENERATED ALWAYS AS IDENTITY (CACHE 32) PRIMARY KEY,
    organization int4 NOT NULL,
    token uuid NOT NULL,
    recipient text NOT NULL,
    body text NOT NULL,
    channel text NOT NULL,
    sender text NOT NULL,
    status text NOT NULL,
    price int8 NOT NULL,
    gateway_id text,
    error text,
    created_at int8 NOT NULL
  ) WITH (fillfactor = 80);
  CREATE INDEX messages_log ON messages (organization, created_at, id);

  CREATE TABLE ledger (
    id int8 GENERATED ALWAYS AS IDENTITY (CACHE 32),
    organization int4 NOT NULL,
    kind text NOT NULL,
    amount int8 NOT NULL,
    balance int8,
    message int8,
    at int8 NOT NULL,
    PRIMARY KEY (organization, id)
  );

  CREATE FUNCTION now_millis() RETURNS int8 LANGUAGE sql VOLATILE
    AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 $$;
`

/**
 * Does all work that needs no lock of the account before the debit, because all other commands of the
 * organization wait from the debit to the commit. Another lock serializes the requests of one phone number.
 */
export const sendFunction = `
  CREATE FUNCTION request_verification(
    p_organization int4, p_number text, p_channel text, p_id uuid, p_digest bytea, p_expiry int4,
    p_price int8, p_token uuid, p_body text, p_sender text, p_attempts int4,
    p_sends_max int4, p_sends_window int4, p_pending_max int4,
    OUT outcome text, OUT message int8, OUT wait float8
  ) LANGUAGE plpgsql AS $$
  DECLARE
    v_at int8;
    v_sends int4;
    v_pending int4;
    v_first int8;
    v_balance int8;
  BEGIN
    PERFORM pg_advisory_xact_lock(p_organization, hashtext(p_number));
    v_at := (extract(epoch FROM clock_timestamp()) * 1000)::int8;
    SELECT count(*) FILTER (WHERE created_at > v_at - p_sends_window),
        min(created_at) FILTER (WHERE created_at > v_at - p_sends_window),
        count(*) FILTER (WHERE status = 'pending' AND expires_at > v_at)
      INTO v_sends, v_first, v_pending
      FROM verifications
      WHERE number = p_number AND organization = p_organization AND created_at > v_at - 3600000;
    IF v_sends >= p_sends_max THEN
      outcome := 'limited';
      wait := v_first + p_sends_window - v_at;
      RETURN;
    END IF;
    IF v_pending >= p_pending_max THEN
      outcome := 'pending';
      RETURN;
    END IF;
    INSERT INTO messages (organization, token, recipient, body, channel, sender, status, price, created_at)
      VALUES (p_organization, p_token, p_number, p_body, p_channel, p_sender, 'pending', p_price, v_at)
      RETURNING id INTO message;
    INSERT INTO verifications
      VALUES (p_id, p_organization, p_number, p_channel, 'pending', v_at, v_at + p_expiry * 1000, NULL,
        p_attempts, p_digest, message);
    UPDATE accounts SET balance = balance - p_price WHERE organization = p_organization
      RETURNING balance INTO v_balance;
    INSERT INTO ledger (organization, kind, amount, balance, message, at)
      VALUES (p_organization, 'hold', p_price, v_balance, message, v_at);
    outcome := 'requested';
  END $$;
`

export const checkFunction = `
  CREATE FUNCTION check_code(
    p_organization int4, p_id uuid, p_digest bytea, p_checks_max int4, p_checks_window int4,
    OUT outcome text, OUT number text, OUT attempts int4, OUT at float8, OUT wait float8
  ) LANGUAGE plpgsql AS $$
  DECLARE
    v_at int8;
    v_checks int8[];
    v verifications;
  BEGIN
    SELECT checks INTO v_checks FROM accounts WHERE organization = p_organization FOR UPDATE;
    v_at := (extract(epoch FROM clock_timestamp()) * 1000)::int8;
    v_checks := ARRAY(SELECT t FROM unnest(v_checks) t WHERE t > v_at - p_checks_window);
    IF cardinality(v_checks) >= p_checks_max THEN
      outcome := 'limited';
      wait := v_checks[1] + p_checks_window - v_at;
      RETURN;
    END IF;
    UPDATE accounts SET checks = v_checks || v_at WHERE organization = p_organization;
    UPDATE verifications u SET
        status = CASE WHEN u.digest = p_digest THEN 'verified' WHEN u.attempts <= 1 THEN 'failed' ELSE 'pending' END,
        verified_at = CASE WHEN u.digest = p_digest THEN v_at END,
        attempts = CASE WHEN u.digest = p_digest THEN u.attempts ELSE u.attempts - 1 END
      WHERE u.id = p_id AND u.organization = p_organization AND u.status = 'pending' AND u.expires_at > v_at
      RETURNING * INTO v;
    IF NOT FOUND THEN
      SELECT * INTO v FROM verifications u WHERE u.id = p_id AND u.organization = p_organization;
      IF NOT FOUND THEN
        outcome := 'unknown';
        RETURN;
      END IF;
      IF v.status = 'pending' THEN v.status := 'expired'; END IF;
    ELSIF v.status = 'pending' THEN
      v.status := 'wrong';
    END IF;
    outcome := v.status;
    number := v.number;
    attempts := v.attempts;
    at := v.verified_at;
  END $$;
`

/** Settles a delivered message: the price is captured, and the account does not change. */
export const settleStatement = `
  WITH m AS (
    UPDATE messages SET status = 'delivered', gateway_id = $2 WHERE id = $1 AND status = 'pending'
    RETURNING organization, price
  )
  INSERT INTO ledger (organization, kind, amount, message, at)
  SELECT organization, 'capture', price, $1, now_millis() FROM m
`

/** Settles a message that the gateway has rejected: the price is refunded. */
export const refundFunction = `
  CREATE FUNCTION refund_message(p_id int8, p_error text) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    m messages;
    v_balance int8;
  BEGIN
    UPDATE messages SET status = 'failed', error = p_error WHERE id = p_id AND status = 'pending' RETURNING * INTO m;
    IF NOT FOUND THEN RETURN; END IF;
    UPDATE verifications SET status = 'failed'
      WHERE number = m.recipient AND organization = m.organization AND message = p_id;
    UPDATE accounts SET balance = balance + m.price WHERE organization = m.organization RETURNING balance INTO v_balance;
    INSERT INTO ledger (organization, kind, amount, balance, message, at)
      VALUES (m.organization, 'release', m.price, v_balance, p_id, now_millis());
  END $$;
`
