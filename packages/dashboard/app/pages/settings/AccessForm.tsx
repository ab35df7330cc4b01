import { useState } from "react"
import { ApiError, type FieldProblem, useWrite } from "../../api/client.ts"
import type { Organization } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { settingsPage as english } from "../../i18n/en/settings.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { Confirm } from "../../ui/dialog.tsx"
import { Form, SaveButton, TextField } from "../../ui/form.tsx"
import { Section } from "../../ui/page.tsx"
import { useNotify } from "../../ui/toasts.tsx"

/** The problem if the list that was to be saved does not admit the reader's own address. */
const shutOutBy = (error: Error): FieldProblem | undefined =>
  error instanceof ApiError
    ? error.problems["allowList"]?.find(({ code }) => code === "shuts_out")
    : undefined

/** The addresses that may call over HTTP. */
const AccessForm = ({ organization }: { readonly organization: Organization }) => {
  const { t } = useTexts(english)
  const { can } = useSession()
  const { api } = useOrganization()
  const notify = useNotify()
  const [addresses, setAddresses] = useState(organization.allowList.join("\n"))
  const [shutOut, setShutOut] = useState<FieldProblem>()
  const write = useWrite(api(""))
  const submit = (admitsOwnAddress: boolean) => {
    const allowList = addresses
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "")
    write.mutate(
      { method: "PATCH", path: api(""), body: { allowList, admitsOwnAddress } },
      {
        onSuccess: () => {
          setShutOut(undefined)
          notify(t.settings.saved)
        },
        onError: (error) => setShutOut(shutOutBy(error)),
      },
    )
  }
  return (
    <Section title={t.settings.allowList} intro={t.settings.allowListIntro}>
      <Form
        className="panel form"
        error={write.error}
        fields={["allowList"]}
        disabled={!can("organization.update")}
        onSubmit={() => submit(true)}
      >
        <TextField
          name="allowList"
          label={t.settings.allowList}
          hint={t.settings.addressesHint}
          rows={4}
          mono
          optional
          value={addresses}
          onChange={setAddresses}
        />
        {can("organization.update") && <SaveButton busy={write.isPending} />}
      </Form>
      <Confirm
        open={shutOut !== undefined}
        onClose={() => setShutOut(undefined)}
        title={t.settings.shutOutTitle}
        text={fill(t.settings.shutOutText, { address: String(shutOut?.params["address"]) })}
        action={t.settings.shutOutSave}
        onConfirm={() => submit(false)}
        busy={write.isPending}
      />
    </Section>
  )
}

export default AccessForm
