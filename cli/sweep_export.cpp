#include "cli/sweep_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <vector>

#include "cli/json.h"
#include "engine/sweep/export.h"

namespace heliolite::cli {
namespace {

// One of the files: which option names it, and what writes it row by row.
struct Target {
  const char* option;
  std::string path;
  std::function<Diagnostics(std::ostream&)> write;
};

// False after complaining.
bool write_rows(const Target& target) {
  std::ofstream file;
  if (target.path != "-") file.open(target.path, std::ios::binary | std::ios::trunc);
  std::ostream& out = target.path == "-" ? std::cout : file;
  errno = 0;
  const Diagnostics errors = target.write(out);
  out.flush();
  if (!errors.empty()) {
    fail(errors);
    return false;
  }
  if (out || errno == EPIPE) return true;
  fail(fmt::format("{}: {} cannot be written: {}", target.option, target.path == "-" ? "standard output" : target.path,
                   std::strerror(errno)));
  return false;
}

Json json_head(const Store& store) {
  const SweepRecord& sweep = store.sweep();
  Json answer = answer_head("sweep");
  answer["question"] = {{"export", store.path()},
                        {"name", sweep.name},
                        {"hash", sweep.question},
                        {"version", sweep.version},
                        {"objective", sweep.objective},
                        {"strategy", sweep.strategy},
                        {"goal", sweep.goal},
                        {"parameters", sweep.parameters},
                        {"text", sweep.text}};
  return answer;
}

}  // namespace

int run_sweep_export(const SweepExport& arguments, const Output& output) {
  const Result<Store> store = Store::read(arguments.database);
  if (!store) return fail(store.errors());
  const std::vector<Target> all{
      {"--csv", arguments.points_csv, [&](std::ostream& out) { return write_points_csv(*store, out); }},
      {"--layers-csv", arguments.layers_csv, [&](std::ostream& out) { return write_layers_csv(*store, out); }},
      {"--json", output.json_target, [&](std::ostream& out) { return write_json(*store, json_head(*store), out); }}};
  std::vector<Target> wanted;
  for (const Target& target : all)
    if (!target.path.empty()) wanted.push_back(target);
  if (wanted.empty()) return fail("--export needs --csv FILE, --layers-csv FILE or --json FILE");
  if (std::ranges::count(wanted, "-", &Target::path) > 1)
    return fail("--csv, --layers-csv and --json: only one can go to standard output");
  for (const Target& target : wanted)
    if (target.path != "-" && !can_write(target.option, target.path)) return kBadInput;
  for (const Target& target : wanted)
    if (!write_rows(target)) return kBadInput;
  return kSuccess;
}

}  // namespace heliolite::cli
