// Mappings as users of the library see them (heliolite/mapping.h). Their plain form is that of a file: it is read from
// the text that the writer of files makes, and written as a text for the reader.
#include <fmt/format.h>
#include <heliolite/mapping.h>

#include <algorithm>
#include <utility>

#include "arch/architecture.h"
#include "engine/api/inside.h"
#include "engine/base/text.h"
#include "engine/base/yaml_node.h"
#include "engine/formats/load_mapping.h"
#include "engine/model/mapping_yaml.h"

namespace heliolite::api {
namespace {

std::vector<std::string> texts_of(const std::optional<YamlNode>& list) {
  std::vector<std::string> out;
  for (const YamlNode& one : elements(list)) out.push_back(one.text());
  return out;
}

// [K: 4, M: [3, 2]]
std::vector<Loop> loops_of(const std::optional<YamlNode>& list) {
  std::vector<Loop> out;
  const auto number = [](const YamlNode& node) { return static_cast<std::uint64_t>(node.as_integer().value_or(1)); };
  for (const YamlNode& loop : elements(list))
    for (const std::string& dimension : loop.keys()) {
      const YamlNode factor = *loop.find(dimension);
      if (factor.is_sequence()) out.push_back({dimension, number(factor.at(0)), number(factor.at(1))});
      else out.push_back({dimension, number(factor), {}});
    }
  return out;
}

std::string list_text(const std::vector<std::string>& names) {
  std::vector<std::string> words;
  for (const std::string& name : names) words.push_back(yaml_scalar(name));
  return fmt::format("[{}]", fmt::join(words, ", "));
}

std::string loops_text(const std::vector<Loop>& loops) {
  std::vector<std::string> words;
  for (const Loop& loop : loops) {
    const std::string factor =
        loop.last ? fmt::format("[{}, {}]", loop.iterations, *loop.last) : fmt::format("{}", loop.iterations);
    words.push_back(fmt::format("{}: {}", yaml_scalar(loop.dimension), factor));
  }
  return fmt::format("[{}]", fmt::join(words, ", "));
}

std::string level_text(const MappingLevel& level) {
  std::string out = fmt::format("  - level: {}\n", yaml_scalar(level.level));
  if (level.keep) out += fmt::format("    keep: {}\n", list_text(*level.keep));
  if (!level.temporal.empty()) out += fmt::format("    temporal: {}\n", loops_text(level.temporal));
  std::vector<std::string> spatial;
  if (!level.x.empty()) spatial.push_back("x: " + loops_text(level.x));
  if (!level.y.empty()) spatial.push_back("y: " + loops_text(level.y));
  if (!level.no_link_transfer.empty())
    spatial.push_back(fmt::format("{}: {}", kPeerChannel.excludes, list_text(level.no_link_transfer)));
  if (!spatial.empty()) out += fmt::format("    spatial: {{{}}}\n", fmt::join(spatial, ", "));
  return out;
}

// On the chain of the compute unit that the file names, or of the only one that can run the workload.
Result<Mapping> placed(const Result<MappingFile>& file, const Workload& workload, const Architecture& architecture) {
  if (!file) return file.errors();
  const Result<std::size_t> unit = file->unit(Inside::of(workload), Inside::of(architecture));
  if (!unit) return unit.errors();
  const Architecture chain = *unit == 0 ? architecture : Inside::chain(architecture, *unit);
  const Result<heliolite::Mapping> read = file->read(Inside::of(workload), Inside::of(chain));
  if (!read) return read.errors();
  return Inside::handle(*read, workload, chain);
}

}  // namespace

const Workload& Mapping::workload() const { return state_->workload; }
const Architecture& Mapping::architecture() const { return state_->architecture; }
bool Mapping::factors_divide() const { return state_->mapping.is_perfect(); }

std::string Mapping::yaml() const {
  return write_mapping(state_->mapping, Inside::of(state_->workload), Inside::of(state_->architecture));
}

std::vector<MappingLevel> Mapping::levels() const {
  const Result<YamlNode> document = YamlNode::parse(yaml(), "mapping");
  std::vector<MappingLevel> out;
  for (const YamlNode& node : elements(document->find("mapping"))) {
    const std::optional<YamlNode> spatial = node.find("spatial");
    const auto part = [&](const char* key) { return spatial ? spatial->find(key) : std::nullopt; };
    out.push_back({.level = node.find("level")->text(),
                   .keep = texts_of(node.find("keep")),
                   .temporal = loops_of(node.find("temporal")),
                   .x = loops_of(part("x")),
                   .y = loops_of(part("y")),
                   .no_link_transfer = texts_of(part(kPeerChannel.excludes))});
  }
  return out;
}

Result<Mapping> load_mapping(const std::string& path, const Workload& workload, const Architecture& architecture,
                             const ReadOptions& options) {
  const Result<heliolite::ReadOptions> reading = engine_options(options);
  if (!reading) return reading.errors();
  return placed(MappingFile::load(path, *reading), workload, architecture);
}

Result<Mapping> parse_mapping(std::string_view text, const std::string& name, const Workload& workload,
                              const Architecture& architecture) {
  return placed(MappingFile::parse(text, name), workload, architecture);
}

Result<Mapping> create_mapping(const std::vector<MappingLevel>& levels, const Workload& workload,
                               const Architecture& architecture) {
  std::string text = levels.empty() ? "mapping: []\n" : "mapping:\n";
  for (const MappingLevel& level : levels) text += level_text(level);
  Result<Mapping> made = parse_mapping(text, "", workload, architecture);
  if (made) return made;
  Diagnostics errors = made.errors();
  for (Diagnostic& error : errors) error.line = 0;  // of a text that nobody sees
  return errors;
}

}  // namespace heliolite::api
