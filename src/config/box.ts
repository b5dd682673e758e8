// In what programs run, as the configuration says it: by the kind of a box alone, or a container with its image and engine.
import * as z from "zod";
import { imagePattern } from "./devcontainer.ts";

export const container = z.strictObject({
  image: z
    .string()
    .regex(imagePattern, "must be the name of an image, such as docker.io/library/node:24")
    .optional()
    .describe("the image, which must be on this machine; that of devcontainer.json otherwise"),
  engine: z.enum(["podman", "docker"]).optional().describe("podman, or docker where there is none"),
});

export const box = z.union([z.enum(["bubblewrap", "container", "seatbelt"]), z.strictObject({ container })]);
