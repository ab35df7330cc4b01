import { useI18n } from "../../i18n/i18n.tsx"
import { useSession } from "../../session.tsx"
import { Badge, Code, Facts } from "../../ui/data.tsx"
import { Section } from "../../ui/page.tsx"
import { Table } from "../../ui/table.tsx"

/** How long rows of each kind are kept. The host's program sets it. */
export const RetentionFacts = () => {
  const { format, t } = useI18n()
  const { host } = useSession()
  const names: Readonly<Record<keyof typeof host.retention, string>> = t.retentionKind
  const nameOf: Readonly<Record<string, string>> = names
  const kept = (duration: string | null) =>
    duration === null ? t.settings.keptForever : format.duration(duration)
  return (
    <Section title={t.settings.retention}>
      <Facts
        items={Object.entries(host.retention).map(([kind, duration]) => [
          nameOf[kind] ?? kind,
          kept(duration),
        ])}
      />
    </Section>
  )
}

/** The settings of the host's program for all organizations. */
export const ServiceFacts = () => {
  const { format, t } = useI18n()
  const { host } = useSession()
  return (
    <>
      <Section title={t.settings.host} intro={t.settings.hostIntro}>
        <Facts
          items={[
            [t.settings.currency, host.currency],
            [t.settings.channels, format.list(host.channels.map((channel) => t.channel[channel]))],
            [t.settings.production, host.production ? t.word.yes : t.word.no],
          ]}
        />
      </Section>
      <Section title={t.settings.testNumbers} intro={t.settings.testNumbersHint}>
        {host.testNumbers.length === 0 ? (
          <p className="muted">{t.settings.noTestNumbers}</p>
        ) : (
          <Table
            label={t.settings.testNumbers}
            rows={host.testNumbers}
            rowKey={({ phoneNumber }) => phoneNumber}
            columns={[
              {
                key: "number",
                title: t.word.phoneNumber,
                cell: ({ phoneNumber }) => <Code>{phoneNumber}</Code>,
              },
              {
                key: "outcome",
                title: t.tryIt.outcome,
                cell: ({ outcome }) => <Badge tone="info">{outcome}</Badge>,
              },
            ]}
          />
        )}
      </Section>
    </>
  )
}
