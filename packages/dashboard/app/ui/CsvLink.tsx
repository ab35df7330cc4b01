import { withQuery } from "../api/client.ts"
import { below } from "../base.ts"
import { useI18n } from "../i18n/i18n.tsx"

interface Props {
  /** A path of the API. */
  readonly path: string
  readonly parameters: Parameters<typeof withQuery>[1]
}

/** Saves all rows that the parameters select. The server names the file. */
export const CsvLink = ({ parameters, path }: Props) => {
  const { t } = useI18n()
  return (
    <a className="button" download href={below(`api/${withQuery(path, parameters)}`)}>
      {t.action.csv}
    </a>
  )
}
