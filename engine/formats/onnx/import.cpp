#include "engine/formats/onnx/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>

#include "engine/base/file_bytes.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/formats/onnx/merge.h"
#include "engine/formats/onnx/proto.h"
#include "engine/formats/onnx/walk.h"
#include "workloads/workload_yaml.h"

namespace heliolite::onnx {

std::string_view name(Fate fate) {
  constexpr std::array kNames{"layer", "passed", "ignored", "constant", "inlined", "refused"};
  return kNames[at(fate)];
}

std::vector<const NodeReport*> Report::refused() const {
  std::vector<const NodeReport*> out;
  for (const NodeReport& node : nodes)
    if (node.fate == Fate::Refused) out.push_back(&node);
  return out;
}

std::string Report::counts(Fate fate) const {
  std::map<std::string, std::size_t> by_operator;
  for (const NodeReport& node : nodes)
    if (node.fate == fate) ++by_operator[node.op];
  std::vector<std::pair<std::string, std::size_t>> sorted(by_operator.begin(), by_operator.end());
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> texts;
  for (const auto& [op, count] : sorted) texts.push_back(fmt::format("{} {}", count, shortened(op)));
  return join(texts);
}

namespace {

constexpr std::size_t kMaxPiped = std::size_t{1} << 30;  // bytes of a pipe, which is read as a whole
constexpr std::size_t kShownErrors = 20;
constexpr std::string_view kSuffix = ".onnx";

// Why the bytes are no model; empty: they may be one.
std::string no_model(std::string_view bytes) {
  if (bytes.empty()) return "the file is empty";
  const std::string_view begin = bytes.substr(0, 64);
  const bool text = std::ranges::all_of(begin, [](char c) { return (c >= ' ' && c < 127) || c == '\n' || c == '\t'; });
  return text ? "looks like a text, not like an ONNX model" : "";
}

Diagnostics refusals(const Report& report, const std::string& file) {
  Diagnostics errors;
  const std::vector<const NodeReport*> refused = report.refused();
  for (const NodeReport* node : refused) {
    if (errors.size() == kShownErrors) {
      errors.push_back({file, 0, "", fmt::format("and {} more", refused.size() - kShownErrors)});
      break;
    }
    errors.push_back({file, 0, fmt::format("{} '{}'", shortened(node->op), shortened(node->node)),
                      node->why + "; --skip-unknown leaves such nodes out"});
  }
  return errors;
}

Diagnostics limits(const Network& network, const std::string& file) {
  Diagnostics errors;
  for (const Layer& layer : network.layers)
    if (layer.count > kMaxLayerCount)
      errors.push_back({file, 0, layer.workload.name,
                        fmt::format("is executed {} times, must be at most {}", layer.count, kMaxLayerCount)});
  if (network.macs() > kMaxNetworkMacs)
    errors.push_back({file, 0, "", fmt::format("more than {} multiply-accumulates", kMaxNetworkMacs)});
  return errors;
}

// `all`: before layers are merged. `left`: whether their edges stay; none: nobody asks for edges.
std::string summary_of(const Network& all, const Report& report, std::optional<bool> left) {
  const std::vector<int> tokens = shape_tokens(all);
  const std::size_t shapes = std::set<int>(tokens.begin(), tokens.end()).size();
  const auto edges = std::ranges::count(all.edges, false, &Edge::from_input);
  std::string text =
      fmt::format("{} layer{} ({} shape{}), {:.4g} GMACs", all.layers.size(), all.layers.size() == 1 ? "" : "s", shapes,
                  shapes == 1 ? "" : "s", static_cast<double>(all.macs()) / 1e9);
  if (left) text += fmt::format(", {} edge{}", edges, edges == 1 ? "" : "s");
  if (left && !*left && edges > 0) text += ", which merge=shapes leaves out";
  if (const std::size_t refused = report.refused().size(); refused > 0)
    text += fmt::format("; INCOMPLETE, left out: {}", report.counts(Fate::Refused));
  if (const std::string ignored = report.counts(Fate::Ignored); !ignored.empty()) text += "; not mapped: " + ignored;
  return text;
}

}  // namespace

std::vector<std::string> Imported::notes() const {
  std::vector<std::string> lines{summary};
  lines.insert(lines.end(), report.notes.begin(), report.notes.end());
  const auto sparse = std::ranges::count_if(
      report.nodes, [](const NodeReport& n) { return n.fate == Fate::Layer && n.op == "SparseAttention"; });
  if (sparse > 0)
    lines.push_back(
        fmt::format("{} SparseAttention: all scores count, also those of blocks that are left out", sparse));
  if (report.sized > 0)
    lines.push_back(
        fmt::format("{} layer{} operands of different element types, which are not used: all words are those of each "
                    "level (--word-bits types uses them)",
                    report.sized, report.sized == 1 ? " has" : "s have"));
  if (report.cut > 0 && edges_matter)
    lines.push_back(
        fmt::format("{} operand{} made of layers' outputs in ways that are no edges: bounds of the whole "
                    "network take them for arrays of their own",
                    report.cut, report.cut == 1 ? " is" : "s are"));
  return lines;
}

bool looks_like_onnx(const std::string& path) {
  if (path.ends_with(kSuffix)) return true;
  // ir_version, field 1 and a varint, is the first of all files that are written by protobuf's own libraries.
  const std::string begin = first_bytes(path, 3);
  return begin.size() == 3 && begin[0] == '\x08' && begin[1] > 0 && begin[1] < 64 && static_cast<u8>(begin[2]) >= 0x10;
}

Result<Imported> import_bytes(std::string_view bytes, const std::string& file, const Options& options, Merge merge) {
  if (std::string why = no_model(bytes); !why.empty()) return Diagnostic{file, 0, "", std::move(why)};
  Wire wire(bytes);
  const Model model = read_model(wire);
  if (wire.error())
    return Diagnostic{file, 0, fmt::format("byte {}", wire.error()->offset), "no ONNX model: " + wire.error()->what};
  if (model.graph.nodes.empty()) return Diagnostic{file, 0, "", "no ONNX model: its graph has no nodes"};
  Walk walk(model, options, file);
  if (Diagnostics errors = walk.run(); !errors.empty()) return errors;
  const Merge how = options.merge.value_or(merge);
  Imported imported{.network = {},
                    .report = std::move(walk.report()),
                    .sources = {},
                    .summary = "",
                    .edges_matter = merge != Merge::Shapes};
  if (!options.skip_unknown)
    if (Diagnostics errors = refusals(imported.report, file); !errors.empty()) return errors;
  imported.network = connect(walk, std::filesystem::path(file).stem().string(), imported.report);
  for (std::size_t i = 0; i < walk.layers().size(); ++i)
    imported.sources[imported.network.layers[i].workload.name] = shortened(walk.layers()[i].node);
  for (const NormalisedOperand& operand : imported.report.normalised)
    imported.sources[operand.layer] += fmt::format(", {} normalised", operand.tensor);
  imported.report.layers = imported.network.layers.size();
  imported.summary = summary_of(imported.network, imported.report,
                                imported.edges_matter ? std::optional(how != Merge::Shapes) : std::nullopt);
  if (Diagnostics errors = limits(imported.network, file); !errors.empty()) return errors;
  if (how == Merge::Shapes) imported.network = merge_shapes(std::move(imported.network));
  if (how == Merge::Blocks) imported.network = merge_blocks(std::move(imported.network));
  imported.network.batch = batch_of(model.graph, options);
  if (Diagnostics errors = limits(imported.network, file); !errors.empty()) return errors;
  return imported;
}

Result<Imported> import_file(const std::string& path, const Options& options, Merge merge) {
  const Result<FileMap> map = FileMap::open(path, kMaxPiped);
  if (!map) return map.errors();
  return import_bytes(map->bytes(), path, options, merge);
}

}  // namespace heliolite::onnx
