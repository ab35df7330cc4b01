import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as FieldProblem from "../../../src/domain/values/FieldProblem.ts"
import { ApiKeyId, SenderId } from "../../../src/domain/values/Ids.ts"
import type { LimitOverrides } from "../../../src/domain/limits/LimitOverrides.ts"
import * as Limits from "../../../src/domain/limits/Limits.ts"
import * as Organization from "../../../src/domain/organizations/Organization.ts"

const organization = (
  overrides: Partial<Organization.Organization> = {},
): Organization.Organization => ({ ...Samples.organization(), version: 1, ...overrides })

const withSettings = (settings: Partial<Organization.Settings>) =>
  organization({ settings: { ...Organization.defaultSettings, ...settings } })

const passes: ReadonlyArray<readonly [allowList: ReadonlyArray<string>, address: string, boolean]> =
  [
    [[], "203.0.113.7", true],
    [[], "not an address", true],
    [["203.0.113.7"], "203.0.113.7", true],
    [["203.0.113.7"], "203.0.113.8", false],
    [["203.0.113.7"], "::ffff:203.0.113.7", true],
    [["203.0.113.7"], "::FFFF:203.0.113.7", true],
    [["203.0.113.7"], "::ffff:cb00:7107", true],
    [["203.0.113.7"], "0:0:0:0:0:ffff:cb00:7107", true],
    [["203.0.113.7"], "::ffff:203.0.113.8", false],
    [["203.0.113.7"], "::203.0.113.7", false],
    [["::ffff:203.0.113.7"], "203.0.113.7", true],
    [["::ffff:203.0.113.7"], "::ffff:203.0.113.7", true],
    [["203.0.113.7"], "203.0.113.07", false],
    [["203.0.113.7"], "203.0.113.7:443", false],
    [["203.0.113.7"], "", false],
    [["203.0.113.7"], "not an address", false],
    [["203.0.113.0/24"], "203.0.113.0", true],
    [["203.0.113.0/24"], "203.0.113.255", true],
    [["203.0.113.0/24"], "203.0.114.0", false],
    [["203.0.113.0/24"], "::ffff:203.0.113.9", true],
    [["::ffff:203.0.113.0/120"], "203.0.113.9", true],
    [["::ffff:203.0.113.0/120"], "203.0.114.9", false],
    [["::ffff:0.0.0.0/96"], "203.0.113.9", true],
    [["::ffff:0.0.0.0/96"], "2001:db8::1", false],
    [["::fffe:0:0/95"], "203.0.113.9", false],
    [["0.0.0.0/0"], "198.51.100.1", true],
    [["0.0.0.0/0"], "::ffff:198.51.100.1", true],
    [["0.0.0.0/0"], "2001:db8::1", false],
    [["::/0"], "2001:db8::1", true],
    [["::/0"], "198.51.100.1", false],
    [["2001:db8::1"], "2001:db8::1", true],
    [["2001:db8::1"], "2001:0DB8:0:0:0:0:0:1", true],
    [["2001:db8::1"], "2001:db8::2", false],
    [["2001:db8::/32"], "2001:db8:ffff::1", true],
    [["2001:db8::/32"], "2001:db9::1", false],
    [["198.51.100.1", "2001:db8::/32", "203.0.113.0/28"], "203.0.113.15", true],
    [["198.51.100.1", "2001:db8::/32", "203.0.113.0/28"], "203.0.113.16", false],
  ]

describe("Organization.isAllowed", () => {
  it.each(passes)("a list of %j, from %j: %s", (allowList, address, allowed) => {
    assert.strictEqual(Organization.isAllowed(withSettings({ allowList }), address), allowed)
  })
})

describe("Organization.allowListProblems", () => {
  it.each([
    "",
    "host.example",
    "203.0.113",
    "203.0.113.256",
    "203.0.113.0/33",
    "203.0.113.0/-1",
    "203.0.113.0/",
    "203.0.113.0/24/24",
    "2001:db8::/129",
    "fe80::1%eth0",
    "*",
  ])("reports %j", (text) => {
    const problems = Organization.allowListProblems(["203.0.113.7", text])
    assert.deepStrictEqual(problems, [FieldProblem.make("not_ip_block", { entry: text })])
  })
})

describe("Organization.limitsOf", () => {
  it("are the host's limits by default", () => {
    assert.deepStrictEqual(Organization.limitsOf(organization(), Limits.defaults), Limits.defaults)
  })

  it("are the organization's limits if set", () => {
    const limits: LimitOverrides = {
      sendsPerNumber: { max: 1, windowMillis: 1_000 },
      spendPerDay: Samples.money("7"),
      codeLength: { min: 6, max: 8, default: 7 },
    }
    assert.deepStrictEqual<unknown>(
      Organization.limitsOf(withSettings({ limits }), Limits.defaults),
      { ...Limits.defaults, ...limits },
    )
  })

  it("are at least as strict as the profile nist, with any settings of an organization", () => {
    const host = Organization.limitsOf(organization(), { ...Limits.defaults, profile: "nist" })
    assert.deepStrictEqual(host, Limits.nist(Limits.defaults))
    const limits: LimitOverrides = {
      codeLength: { min: 4, max: 5, default: 4 },
      expirySeconds: { min: 700, max: 3_600, default: 900 },
      guessesPerNumber: null,
      guessesSinceSuccess: 5_000,
      attempts: 10,
    }
    assert.deepStrictEqual(Organization.limitsOf(withSettings({ limits }), host), {
      ...host,
      codeLength: { min: 6, max: 6, default: 6 },
      expirySeconds: { min: 600, max: 600, default: 600 },
      attempts: 10,
    })
    const strict: LimitOverrides = {
      codeLength: { min: 8, max: 10, default: 8 },
      guessesSinceSuccess: 20,
    }
    const own = withSettings({ limits: strict })
    const { codeLength, guessesSinceSuccess } = Organization.limitsOf(own, host)
    assert.deepStrictEqual<unknown>({ codeLength, guessesSinceSuccess }, strict)
  })

  const day = 86_400_000
  const thirty = { max: 30, windowMillis: day }
  const [more, stricter, longer, shorter, larger] = [
    { max: 1_000, windowMillis: 1 },
    { max: 5, windowMillis: day },
    { max: 30, windowMillis: 2 * day },
    { max: 30, windowMillis: day - 1 },
    { max: 31, windowMillis: day },
  ] as const
  it.each([
    ["none", null, thirty],
    ["a looser one", more, [thirty, more]],
    ["one that is shorter", shorter, [thirty, shorter]],
    ["one that admits more", larger, [thirty, larger]],
    ["several looser ones", [more, more, more, more], [thirty, more, more, more, more]],
    ["a stricter one", stricter, stricter],
    ["a longer one", longer, longer],
    ["several, of which one is stricter", [more, stricter], [more, stricter]],
    ["the same one", thirty, thirty],
  ] as const)("under the profile nist, keep the window of wrong codes: with %s", (_, own, ends) => {
    const nist = { ...Limits.defaults, profile: "nist" } as const
    const asHost = Organization.limitsOf(withSettings({ limits: { guessesPerNumber: own } }), nist)
    assert.deepStrictEqual<unknown>(asHost.guessesPerNumber, ends)
    // An organization inherits the host's, to which nothing is added again.
    const inherited = Organization.limitsOf(organization(), asHost)
    assert.deepStrictEqual<unknown>(inherited.guessesPerNumber, ends)
  })

  it("disable a window that is null", () => {
    const own = withSettings({ limits: { sendsPerNumber: null } })
    const { sendsPerNumber } = Organization.limitsOf(own, Limits.defaults)
    assert.isUndefined(sendsPerNumber)
  })
})

describe("Organization", () => {
  it("replaces a brand with the same id, and adds a new one", () => {
    const renamed = Samples.sender({ sender: "8809699999999" })
    const replaced = Organization.withSender(organization(), renamed)
    assert.deepStrictEqual(
      replaced.senders.map(({ id, sender }) => `${id} ${sender}`),
      ["profile acme-profile", "line 8809699999999"],
    )
    const added = Organization.withSender(replaced, {
      ...renamed,
      id: SenderId("new"),
      isDefault: false,
    })
    assert.strictEqual(added.senders.length, 3)
  })

  it("has one default for each channel", () => {
    const two = Organization.withSender(organization(), Samples.sender({ id: SenderId("second") }))
    const defaults = two.senders.filter(({ isDefault }) => isDefault).map(({ id }) => id)
    assert.deepStrictEqual(defaults, [SenderId("profile"), SenderId("second")])
  })

  it("withdraws a sender, which is then no default, and keeps it", () => {
    const withdrawn = Organization.withoutSender(organization(), SenderId("line"))
    assert.deepStrictEqual(
      withdrawn.senders,
      organization().senders.map((brand) =>
        brand.id === "line" ? { ...brand, status: "withdrawn", isDefault: false } : brand,
      ),
    )
    const unknown = Organization.withoutSender(organization(), SenderId("unknown"))
    assert.deepStrictEqual(unknown.senders, organization().senders)
  })

  it("revokes a key once: a repeat keeps the first time", () => {
    const key = Samples.apiKey()
    const other = Samples.apiKey({ id: ApiKeyId("FEDCBA9876543210") })
    const both = Organization.withKey(Organization.withKey(organization(), key), other)
    const once = Organization.withoutKey(both, key.id, Samples.now + 1)
    const twice = Organization.withoutKey(once, key.id, Samples.now + 2)
    assert.strictEqual(Organization.keyOf(twice, key.id)?.revokedAt, Samples.now + 1)
    assert.isNull(Organization.keyOf(twice, other.id)?.revokedAt)
    assert.isUndefined(Organization.keyOf(twice, ApiKeyId("unknown")))
  })
})
