#include "engine/formats/load_architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "arch/architecture_yaml.h"
#include "arch/check.h"
#include "arch/reference_tables.h"
#include "engine/base/embedded.h"
#include "engine/base/text.h"
#include "engine/formats/accelforge/files.h"
#include "engine/formats/timeloop/machine.h"
#include "engine/inputs/input_file.h"

namespace heliolite {

std::span<const EmbeddedFile> embedded_architecture_presets();  // generated from arch/presets

namespace {

namespace fs = std::filesystem;

constexpr int kMaxBases = 8;  // a chain of bases longer than this goes in circles

bool looks_like_path(const std::string& what) { return what.find_first_of("/\\.") != std::string::npos; }

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// A preset's name or a path. Something that is neither, and does not look like a path, is a misspelt preset.
Result<YamlNode> load_document(const std::string& what, const ReadOptions& options) {
  if (const auto preset = architecture_preset(what)) return YamlNode::parse(*preset, what + std::string(kPresetSuffix));
  if (looks_like_path(what) || is_there(what)) return refuse_accelforge(load_input(what, options), "machine");
  const std::vector<std::string> presets = architecture_preset_names();
  const std::string suggestion = did_you_mean(what, presets);
  return Diagnostic{"", 0, "architecture",
                    fmt::format("'{}' is neither a preset nor a file{} Presets: {}", what,
                                suggestion.empty() ? "." : suggestion, join(presets))};
}

// A path in a file is relative to that file; a bare word that is no file stays one (a preset, perhaps misspelt).
std::string beside(const std::string& file, const std::string& path) {
  if (architecture_preset(path) || fs::path(path).is_absolute()) return path;
  const fs::path joined = fs::path(file).parent_path() / path;
  return looks_like_path(path) || is_there(joined) ? joined.string() : path;
}

Result<ArchitectureSpec> follow_bases(const YamlNode& document, const ReadOptions& options, int depth) {
  Result<ArchitectureSpec> read = read_architecture_yaml(document);
  if (!read) return read;
  ArchitectureSpec& spec = *read;
  if (!spec.name) spec.name = fs::path(document.file()).stem().string();
  for (std::optional<std::string>* table : {&spec.ert, &spec.art})
    if (*table) *table = beside(document.file(), **table);
  if (!spec.base) return read;
  if (depth >= kMaxBases)
    return spec.place.error(
        fmt::format("base = {}: more than {} bases, one of another (a circle?)", *spec.base, kMaxBases));

  const Result<YamlNode> base_document = load_document(beside(document.file(), *spec.base), options);
  if (!base_document) {
    Diagnostics errors = base_document.errors();
    errors.push_back(spec.place.error(fmt::format("base = {} cannot be read", *spec.base)));
    return errors;
  }
  if (!is_architecture_yaml(*base_document))
    return spec.place.error(
        fmt::format("base = {} is not an architecture of this program's own format; `heliolite convert --to heliolite` "
                    "makes one of Timeloop's",
                    *spec.base));
  Result<ArchitectureSpec> base = follow_bases(*base_document, options, depth + 1);
  if (!base) return base;
  Diagnostics errors;
  ArchitectureSpec varied = vary(*std::move(base), spec, errors);
  if (!errors.empty()) return errors;
  return varied;
}

// Adds what an ERT or ART document says to `tables`; complains about any other kind of document.
void read_tables(const YamlNode& document, ReferenceTables& tables, Diagnostics& errors) {
  const auto collect = [&](auto result, auto& into) {
    if (result) into = *std::move(result);
    else errors.insert(errors.end(), result.errors().begin(), result.errors().end());
  };
  if (document.has("ERT")) collect(read_ert(document), tables.ert);
  if (document.has("ART")) collect(read_art(document), tables.art);
  if (!document.has("ERT") && !document.has("ART"))
    errors.push_back(document.error("must be an energy or area reference table (top key ERT or ART)"));
}

Result<ArchitectureSource> load_own(const YamlNode& document, const std::vector<YamlNode>& others,
                                    const ReadOptions& options) {
  Result<ArchitectureSpec> spec = follow_bases(document, options, 0);
  if (!spec) return spec.errors();
  Result<ReferenceTables> tables = load_reference_tables(*spec, options);
  if (!tables) return tables.errors();
  Diagnostics errors;
  for (const YamlNode& other : others) read_tables(other, *tables, errors);
  if (!errors.empty()) return errors;
  Result<Architecture> architecture = resolve(*spec, *tables);
  if (!architecture) return architecture.errors();
  return ArchitectureSource{*std::move(architecture), *std::move(spec), *std::move(tables), {}, {}};
}

// A machine of AccelForge, by way of our own format.
Result<ArchitectureSource> load_accelforge(const YamlNode& document, const std::vector<YamlNode>& others,
                                           const ReadOptions& options) {
  const std::string name = fs::path(document.file()).stem().string();
  const Result<accelforge::MachineText> machine =
      accelforge::machine_text(document, name, accelforge::einsum_kind(options.word_bits));
  if (!machine) return machine.errors();
  const Result<YamlNode> ours = YamlNode::parse(machine->text, document.file());
  Result<ArchitectureSource> source =
      ours ? load_own(*ours, others, options) : Result<ArchitectureSource>(ours.errors());
  if (!source) {
    Diagnostics errors = source.errors();
    for (Diagnostic& error : errors) error.line = 0;  // lines of a text that nobody has seen
    return errors;
  }
  for (const std::string& note : machine->notes)
    source->architecture.notes.push_back(fmt::format("{}: {}", document.file(), note));
  return source;
}

// Reads a machine from at least one document.
Result<ArchitectureSource> read_documents(std::vector<YamlNode> documents, const ReadOptions& options) {
  const auto own = std::ranges::find_if(documents, is_architecture_yaml);
  if (own != documents.end()) {
    const YamlNode document = *own;
    documents.erase(own);
    return load_own(document, documents, options);
  }
  const auto forge =
      std::ranges::find_if(documents, [](const YamlNode& node) { return accelforge_part(node) == "machine"; });
  if (forge != documents.end()) {
    const YamlNode document = *forge;
    documents.erase(forge);
    return load_accelforge(document, documents, options);
  }
  if (std::ranges::any_of(documents, is_timeloop_architecture)) {
    Result<TimeloopSource> source = read_timeloop_source(documents);
    if (!source) return source.errors();
    return ArchitectureSource{
        std::move(source->architecture), std::nullopt, {}, std::move(source->level_costs), source->compute_costs};
  }
  return documents.front().error(
      "not an architecture: expected a map with 'architecture', holding 'levels' or 'base' (this program's own format) "
      "or Timeloop's 'storage', 'subtree' or 'nodes'");
}

}  // namespace

Result<ArchitectureSpec> stated_spec(const ArchitectureSource& source, const std::string& name) {
  if (source.spec) return *source.spec;
  const Architecture& machine = source.architecture;
  if (const StorageLevel& outermost = machine.levels.back(); outermost.instances > 1)
    return Diagnostic{
        name, 0, "",
        fmt::format("{} has {} instances: only machines with one instance of their outermost level can be "
                    "varied",
                    outermost.name, outermost.instances)};
  const Result<YamlNode> document = YamlNode::parse(write_architecture(machine), name);
  if (!document) return document.errors();
  Result<ArchitectureSpec> spec = read_architecture_yaml(*document);
  if (!spec) return spec;
  spec->name = machine.name;
  spec->notes = machine.notes;
  spec->place.line = spec->compute.place.line = 0;  // the lines of the text that was just written are no file's
  for (std::size_t i = 0; i < spec->levels.size(); ++i) {
    spec->levels[i].place.line = 0;
    const bool has_size = machine.levels[i].entries || machine.levels[i].is_dram;
    if (source.level_costs[i].energy == CostSource::Pat && has_size) spec->levels[i].energy = EnergyModel::Pat;
  }
  if (source.compute_costs.energy == CostSource::Pat) spec->compute.energy = EnergyModel::Pat;
  return spec;
}

Result<ReferenceTables> load_reference_tables(const ArchitectureSpec& spec, const ReadOptions& options) {
  Diagnostics errors;
  ReferenceTables tables;
  for (const std::optional<std::string>& path : {spec.ert, spec.art}) {
    if (!path) continue;
    const Result<YamlNode> table = load_input(*path, options);
    if (table) read_tables(*table, tables, errors);
    else errors.insert(errors.end(), table.errors().begin(), table.errors().end());
  }
  if (!errors.empty()) return errors;
  return tables;
}

Result<ArchitectureSpec> load_architecture_spec(const std::string& what, const ReadOptions& options) {
  const std::vector<std::string> parts = split(what, ',');
  const Result<YamlNode> document = load_document(parts.empty() ? what : parts.front(), options);
  if (!document) return document.errors();
  if (parts.size() <= 1 && !is_timeloop_architecture(*document)) return follow_bases(*document, options, 0);
  const Result<ArchitectureSource> source = load_architecture_source(what, options);
  if (!source) return source.errors();
  if (source->spec)
    return Diagnostic{what, 0, "", "several files: the machine's own file names its tables with 'ert' and 'art'"};
  return stated_spec(*source, document->file());
}

bool names_architecture(const std::string& what) {
  return std::ranges::any_of(split(what, ','), [](const std::string& part) {
    const Result<YamlNode> document = load_document(part, {});
    return document && (is_architecture_yaml(*document) || is_timeloop_architecture(*document));
  });
}

Result<Architecture> load_architecture(const std::string& what, const ReadOptions& options) {
  Result<ArchitectureSource> source = load_architecture_source(what, options);
  if (!source) return source.errors();
  return std::move(source->architecture);
}

Result<ArchitectureSource> load_architecture_source(const std::string& what, const ReadOptions& options) {
  Diagnostics errors;
  std::vector<std::string> notes;
  std::vector<YamlNode> documents;
  for (const std::string& part : split(what, ',')) {
    const Result<YamlNode> document = load_document(part, options);
    if (document) documents.push_back(options.ignore_sparse ? without_sparse(*document, notes) : *document);
    else errors.insert(errors.end(), document.errors().begin(), document.errors().end());
  }
  if (documents.empty() && errors.empty()) return load_document("", options).errors();
  if (!errors.empty()) return errors;
  Result<ArchitectureSource> source = read_documents(std::move(documents), options);
  if (source) {
    std::vector<std::string>& said = source->architecture.notes;
    said.insert(said.begin(), notes.begin(), notes.end());
    if (std::optional<std::string> rounded = rounded_prices(source->architecture)) said.push_back(*std::move(rounded));
    if (options.peer_channel) {
      source->architecture.peer_channel = *options.peer_channel;
      if (source->spec) source->spec->peer_channel = options.peer_channel;
      if (Diagnostics problems = check(source->architecture); !problems.empty()) return problems;
    }
  }
  return source;
}

Result<ArchitectureSource> parse_architecture_source(std::string_view text, const std::string& name) {
  Result<YamlNode> document = YamlNode::parse(text, name);
  if (!document) return document.errors();
  return read_documents({*std::move(document)}, {});
}

Result<Architecture> parse_architecture(std::string_view text, const std::string& name) {
  Result<ArchitectureSource> source = parse_architecture_source(text, name);
  if (!source) return source.errors();
  return std::move(source->architecture);
}

std::vector<std::string> architecture_preset_names() { return preset_names(embedded_architecture_presets()); }

std::optional<std::string_view> architecture_preset(std::string_view name) {
  return preset_text(embedded_architecture_presets(), name);
}

Diagnostics at_their_levels(Diagnostics errors, const std::string& machine) {
  const std::vector<std::string> files = split(machine, ',');
  for (const std::string& file : files) {
    const Result<ArchitectureSpec> spec = load_architecture_spec(file);
    if (!spec) continue;  // reference tables, or Timeloop's
    for (Diagnostic& error : errors)
      for (const LevelSpec& level : spec->levels)
        if (error.file.empty() && error.field.starts_with(level_field(level.name, ""))) {
          error.file = level.place.file;
          error.line = level.place.line;
        }
  }
  for (Diagnostic& error : errors)
    if (error.file.empty() && !files.empty() && error.field.starts_with("level '")) error.file = files.front();
  return errors;
}

}  // namespace heliolite
