// Files that decide how a tree is judged rather than what it does: read by test runners, build tools, package managers and
// interpreters before, or instead of, what a check names. By reader, as names: in small letters, `*` for any part of a name,
// a slash at the end for everything in such a folder. Data only; `judged-by.ts` says what follows from it.

const table: Readonly<Record<string, string>> = {
  make: "makefile gnumakefile bsdmakefile *.mk",
  just: "justfile .justfile",
  "a task runner":
    "taskfile.yml taskfile.yaml taskfile.dist.yml rakefile rakefile.rb *.rake magefile.go sconstruct build.xml earthfile gulpfile.* gruntfile.* .bazelrc .bazelversion workspace.bazel module.bazel build.bazel .buckconfig pants.toml dodo.py noxfile.py lerna.json nx.json turbo.json .wireit.json",
  "a package manager":
    "package.json .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs pnpm-workspace.yaml .pnp.cjs .pnp.loader.mjs .yarn/ bunfig.toml .bunfig.toml deno.json deno.jsonc import_map.json composer.json gemfile pipfile pip.conf uv.toml .bundle/",
  "whatever looks for programs or modules in the tree":
    "node_modules/ .heddle-packages/ .venv/ venv/ site-packages/ vendor/bin/ vendor/modules.txt __pypackages__/",
  "what loads the environment":
    ".env .env.* *.env .envrc .tool-versions mise.toml .mise.toml .nvmrc .node-version .python-version .ruby-version .java-version .php-version .go-version .terraform-version .sdkmanrc flake.nix shell.nix default.nix",
  "a JavaScript test runner":
    "jest.config.* jest.setup.* jest-setup.* vitest.config.* vitest.workspace.* vitest.setup.* vite.config.* .mocharc* mocha.opts .taprc ava.config.* karma.conf.* jasmine.json jasmine.mjs cypress.config.* playwright.config.* playwright-ct.config.* wdio.conf.* .nycrc* .c8rc* nyc.config.* testsetup.* setuptests.* test-setup.* __mocks__/",
  "what compiles or lints the files":
    "tsconfig*.json jsconfig*.json .babelrc* babel.config.* .swcrc webpack.config.* rollup.config.* rolldown.config.* esbuild.config.* tsup.config.* .eslintrc* eslint.config.* .eslintignore biome.json biome.jsonc .prettierrc* .prettierignore prettier.config.* .stylelintrc* .flake8 ruff.toml .ruff.toml mypy.ini .mypy.ini .pylintrc pylintrc .rubocop.yml .golangci.* clippy.toml .clippy.toml rustfmt.toml .rustfmt.toml checkstyle.xml phpstan.neon* psalm.xml* .php-cs-fixer* .clang-tidy .shellcheckrc",
  pytest: "conftest.py pytest.ini .pytest.ini pytest.toml .pytest.toml .coveragerc",
  python: "sitecustomize.py usercustomize.py sitecustomize.pyc usercustomize.pyc *.pth pyvenv.cfg",
  "python's tools": "tox.ini tox.toml setup.cfg setup.py pyproject.toml manage.py",
  cargo: "cargo.toml build.rs rust-toolchain rust-toolchain.toml .cargo/ .config/nextest.toml",
  go: "go.mod go.work go.env",
  ruby: ".rspec spec_helper.rb rails_helper.rb test_helper.rb .simplecov .irbrc",
  php: "phpunit.xml phpunit.xml.dist phpunit.dist.xml .user.ini php.ini pest.php bootstrap.php",
  "maven or gradle":
    "pom.xml .mvn/ mvnw mvnw.cmd build.gradle build.gradle.kts settings.gradle settings.gradle.kts init.gradle init.gradle.kts gradle.properties gradlew gradlew.bat gradle/ buildsrc/ junit-platform.properties testng.xml build.sbt project.clj deps.edn",
  dotnet:
    "*.csproj *.fsproj *.vbproj *.sln *.slnx directory.build.props directory.build.targets directory.build.rsp directory.packages.props global.json nuget.config *.runsettings xunit.runner.json",
  "cmake or meson":
    "cmakelists.txt *.cmake cmakepresets.json cmakeuserpresets.json meson.build meson_options.txt configure configure.ac",
  "another build tool":
    "mix.exs test_helper.exs dune dune-project *.opam *.cabal cabal.project cabal.project.local stack.yaml build.zig package.swift pubspec.yaml dart_test.yaml .proverc makefile.pl build.pl .busted rebar.config",
  git: ".gitattributes",
};

/** Files that fix which programs set-up installs, and the file that each of them follows. */
export const lockFiles: Readonly<Record<string, string>> = {
  "package-lock.json": "package.json",
  "npm-shrinkwrap.json": "package.json",
  "pnpm-lock.yaml": "package.json",
  "yarn.lock": "package.json",
  "bun.lock": "package.json",
  "bun.lockb": "package.json",
  "poetry.lock": "pyproject.toml",
  "uv.lock": "pyproject.toml",
  "pdm.lock": "pyproject.toml",
  "pipfile.lock": "pipfile",
  "gemfile.lock": "gemfile",
  "composer.lock": "composer.json",
  "cargo.lock": "cargo.toml",
  "mix.lock": "mix.exs",
};

/** Modules of Python's own and of its test runners: a file of that name beside a test is imported in their place. */
const pythonWords = [
  "abc aifc annotationlib argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii",
  "bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys",
  "compileall compression concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses",
  "dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno",
  "faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass",
  "gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io",
  "ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math",
  "mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers",
  "opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib",
  "poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri",
  "random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil",
  "signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl",
  "stat statistics string stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile",
  "telnetlib tempfile termios textwrap threading time timeit tkinter token tokenize tomllib trace traceback",
  "tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave",
  "weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo pytest",
  "_pytest py pluggy iniconfig nose nose2 mock hypothesis coverage tox nox xdist pytest_asyncio pytest_cov",
  "setuptools pkg_resources pip wheel unittest2 behave",
];

export const pythonModules: ReadonlySet<string> = new Set(pythonWords.join(" ").split(" "));

const exact = new Map<string, string>();
const folders = new Map<string, string>();
const patterns: { readonly of: RegExp; readonly reader: string }[] = [];
for (const [reader, names] of Object.entries(table))
  for (const name of names.split(" ")) {
    if (name.endsWith("/")) folders.set(name.slice(0, -1), reader);
    else if (name.includes("*")) patterns.push({ of: patternOf(name), reader });
    else exact.set(name, reader);
  }
const anyPattern = new RegExp(patterns.map(({ of }) => of.source).join("|"));

function patternOf(name: string): RegExp {
  const parts = name.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}

/** Loaded wherever it lies below the tests; the others matter little among data for tests. */
const collected = /^(?:conftest\.py|(?:site|user)customize\.pyc?|\.gitattributes)$/;
const amongData = /(?:^|\/)(?:__fixtures__|fixtures|testdata|test[-_]data)\//;

/** Who reads this file to find out how to judge; nothing where nobody does. */
export function readerOf(path: string): string | undefined {
  const whole = path.toLowerCase();
  const parts = whole.split("/");
  const name = parts.at(-1) ?? "";
  if (/^\.env\.(?:example|sample|template|dist)$/.test(name)) return undefined;
  if (amongData.test(whole) && !collected.test(name)) return undefined;
  const two = parts.slice(-2).join("/");
  const known = exact.get(name) ?? exact.get(two) ?? patternReader(name);
  if (known !== undefined) return known;
  // The last part too: a link of that name leads to a folder.
  for (const [at, part] of parts.entries()) {
    const found = folders.get(part) ?? folders.get(`${part}/${parts[at + 1]}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function patternReader(name: string): string | undefined {
  return anyPattern.test(name) ? patterns.find(({ of }) => of.test(name))?.reader : undefined;
}
