/** Hides user names and passwords of URLs. */
export const withoutSecrets = (text: string): string =>
  text
    .replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s"']*@/gi, "$1…@")
    .replaceAll(/([?&](?:ssl)?password=)[^&\s"']*/gi, "$1…")
