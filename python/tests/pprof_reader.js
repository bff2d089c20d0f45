// Prints a profile as pprof-format reads it: node pprof_reader.js WEB_MODULES FILE
"use strict";
const fs = require("fs");
const path = require("path");

const [modules, file] = process.argv.slice(2);
const { Profile } = require(path.join(modules, "pprof-format"));
const profile = Profile.decode(fs.readFileSync(file));
const text = (number) => profile.stringTable.strings[Number(number)];
const byId = (items) => new Map(items.map((item) => [Number(item.id), item]));
const functions = byId(profile.function);
const locations = byId(profile.location);

const samples = profile.sample.map((sample) => ({
  stack: sample.locationId.map((id) => {
    const { functionId, line } = locations.get(Number(id)).line[0];
    const called = functions.get(Number(functionId));
    return [text(called.name), text(called.filename), Number(line)];
  }),
  values: sample.value.map(Number),
  labels: Object.fromEntries(
    sample.label.map((label) => [text(label.key), text(label.str) || Number(label.num)]),
  ),
}));
const types = profile.sampleType.map((type) => [text(type.type), text(type.unit)]);
const mappings = profile.mapping.map((mapping) => text(mapping.filename));
process.stdout.write(JSON.stringify({ types, samples, mappings }));
