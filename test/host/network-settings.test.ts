// A company's certificates and proxy reach programs that have the network, and no others.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { networkSettings } from "../../src/host/program/network-settings.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-certificates-"));
const own = join(folder, "company.pem");
writeFileSync(own, "");
const environment = {
  NODE_EXTRA_CA_CERTS: own,
  SSL_CERT_DIR: "/etc/ssl/certs",
  PIP_CERT: "relative.pem",
  CURL_CA_BUNDLE: join(folder, "missing.pem"),
  HTTPS_PROXY: "http://proxy.example:3128",
  HTTP_PROXY: "http://ada:secret@proxy.example:3128",
  no_proxy: "localhost",
  NPM_TOKEN: "secret",
};

it("X24 G9 certificates that are there, and a proxy without a password, go to programs with the network", () => {
  expect(networkSettings(environment, true)).toEqual({
    set: {
      NODE_EXTRA_CA_CERTS: own,
      SSL_CERT_DIR: "/etc/ssl/certs",
      HTTPS_PROXY: "http://proxy.example:3128",
      no_proxy: "localhost",
    },
    readable: [own],
  });
  expect(networkSettings(environment, false)).toEqual({ set: {}, readable: [] });
});
