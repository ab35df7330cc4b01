import { useI18n } from "../../i18n/i18n.tsx"
import { Copy } from "../../ui/data.tsx"

/** A word of a shell: JSON has no single quotes, but texts may. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export interface PublicCall {
  readonly path: string
  readonly body?: object | undefined
}

const curlOf = ({ body, path }: PublicCall): string =>
  [
    `curl "$BASE${path}"`,
    `-H "Authorization: Bearer $COUNTERSIGN_KEY"`,
    ...(body === undefined
      ? ["-X POST"]
      : [`-H "Content-Type: application/json"`, `-d ${quoted(JSON.stringify(body))}`]),
  ].join(" \\\n  ")

/** The request to the HTTP interface that does the same. */
export const Curl = ({ call }: { readonly call: PublicCall }) => {
  const { t } = useI18n()
  const text = curlOf(call)
  return (
    <section className="curl" aria-label={t.tryIt.curl}>
      <header>
        <h3>{t.tryIt.curl}</h3>
        <span>
          <Copy text={text} />
        </span>
      </header>
      <pre dir="ltr" tabIndex={0}>
        {text}
      </pre>
      <p className="hint">{t.tryIt.curlHint}</p>
    </section>
  )
}
