// What may be named as a git remote: a folder, or an address of ssh or https. Never an option of git's, a helper that it would
// start, or a name with a password in it. Pure: configuration, coordinator and worker ask the same question.
const folder = /^(?:file:\/\/)?\/[^\s\0]*$/;
const ssh = /^ssh:\/\/(?:(?!-)[\w.-]+@)?(?!-)[\w.[\]:-]+\/[^\s\0]*$/;
const scp = /^(?:(?!-)[\w.-]+@)?(?!-)[\w.-]+:(?![/:]\/)(?!:)[^\s\0]+$/;
const https = /^https:\/\/(?!-)[\w.[\]:-]+\/[^\s\0]*$/;

export const isRemote = (text: string): boolean =>
  [folder, ssh, https].some((form) => form.test(text)) || (!/^[a-z]+:\/\//i.test(text) && scp.test(text));
