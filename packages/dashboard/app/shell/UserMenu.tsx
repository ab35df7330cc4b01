import { Menu } from "@base-ui/react/menu"
import { useState } from "react"
import { Link } from "wouter"
import { below, type Locale, settings } from "../base.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useSession } from "../session.tsx"
import { chooseTheme, chosenTheme, type ThemeChoice, themes } from "../theme.ts"
import { zones } from "../zone.ts"
import { Icon } from "../ui/icons.tsx"

const languages: Readonly<Record<Locale, string>> = { en: "English", bn: "বাংলা" }

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly options: ReadonlyArray<{
    readonly value: Value
    readonly label: string
    readonly lang?: string
  }>
}

const Choice = <Value extends string>({ label, onChange, options, value }: ChoiceProps<Value>) => (
  <Menu.RadioGroup value={value} onValueChange={onChange}>
    <Menu.GroupLabel className="popup-label">{label}</Menu.GroupLabel>
    {options.map((option) => (
      <Menu.RadioItem
        key={option.value}
        value={option.value}
        className="popup-item"
        lang={option.lang}
      >
        <Menu.RadioItemIndicator className="popup-mark">
          <Icon name="check" />
        </Menu.RadioItemIndicator>
        <span className="popup-text">{option.label}</span>
      </Menu.RadioItem>
    ))}
  </Menu.RadioGroup>
)

/** A form of its own: the session ends on the server, whose page comes next. */
const signOut = (address: string): void => {
  const form = document.createElement("form")
  form.method = "post"
  form.action = below(address)
  document.body.append(form)
  form.submit()
}

const UserMenu = () => {
  const { locale, setLocale, setZone, t, zone } = useI18n()
  const { actor, hasLoginSessions, roles } = useSession()
  const [theme, setTheme] = useState<ThemeChoice>(chosenTheme)
  const { locales, signOutUrl } = settings
  return (
    <Menu.Root defaultOpen>
      <Menu.Trigger className="icon-button" aria-label={t.user.menu}>
        <Icon name="user" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="positioner" align="end" sideOffset={6}>
          <Menu.Popup className="popup user-menu">
            <div className="user-facts">
              <strong>{actor.name ?? actor.id}</strong>
              <span className="muted">{roles.map((role) => t.role[role]).join(", ")}</span>
            </div>
            {locales.length > 1 && (
              <Choice
                label={t.user.language}
                value={locale}
                onChange={setLocale}
                options={locales.map((value) => ({ value, label: languages[value], lang: value }))}
              />
            )}
            <Choice
              label={t.user.theme}
              value={theme}
              onChange={(next) => {
                setTheme(next)
                chooseTheme(next)
              }}
              options={themes.map((value) => ({ value, label: t.user[value] }))}
            />
            <Choice
              label={t.user.zone}
              value={zone}
              onChange={setZone}
              options={zones.map((value) => ({ value, label: t.zone[value] }))}
            />
            {(hasLoginSessions || signOutUrl !== null) && <Menu.Separator className="popup-line" />}
            {hasLoginSessions && (
              <Menu.LinkItem className="popup-item" closeOnClick render={<Link href="/sessions" />}>
                <span className="popup-text">{t.sessions.title}</span>
              </Menu.LinkItem>
            )}
            {signOutUrl !== null && (
              <>
                <Menu.Item className="popup-item" onClick={() => signOut(signOutUrl)}>
                  <span className="popup-text">{t.user.signOut}</span>
                </Menu.Item>
              </>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

export default UserMenu
