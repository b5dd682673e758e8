// The journal in memory against the common suite.
import { MemoryJournal } from "../../src/journal/memory.ts";
import { protocolNamed } from "../../src/packs/registry.ts";
import { journalSuite, ticking } from "./suite.ts";

journalSuite("memory", () => new MemoryJournal(protocolNamed, ticking()));
