#include "workloads/workload_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "workloads/edge_yaml.h"
#include "workloads/einsum_text.h"
#include "workloads/layer_yaml.h"
#include "workloads/load.h"
#include "workloads/presets.h"
#include "workloads/word_bits.h"
#include "workloads/workload_fields.h"
#include "workloads/yaml_help.h"

namespace heliolite {
namespace {

class NetworkReader {
 public:
  NetworkReader(const YamlNode& root, const NetworkOptions& options) : root_(root), options_(options) {}

  Result<Network> run(const std::string& fallback_name) {
    FieldReader map(root_, workload_file_fields(), errors_);
    network_.name = map.string("name").value_or(fallback_name);
    map.ignore("source");
    header(map);
    const auto layers = map.child("layers");
    const auto from = map.child("layers_from");
    if (layers && from) map.error("both 'layers' and 'layers_from', must be one");
    if (layers || from) refuse_shapes(map);
    if (layers) {
      this->layers(*layers);
    } else if (from) {
      layers_from(*from);
    } else {
      single(map);
    }
    if (const auto edges = map.child("edges")) edges_.edges = edges;
    if (const auto inputs = map.child("inputs")) edges_.inputs = inputs;
    map.finish();
    word_bits_of_layers();
    limits();
    // What layers make for one another is said of the forward pass: the weight update finds all of it in memory.
    if (errors_.empty() && context_.pass == Pass::Forward) read_edges(edges_, network_, errors_);
    if (!errors_.empty()) return errors_;
    return std::move(network_);
  }

 private:
  // batch, pass, defaults; the options win over the file.
  void header(FieldReader& map) {
    const u64 batch = static_cast<u64>(map.integer("batch").value_or(1));
    const auto pass = map.choice("pass");
    network_.batch = context_.batch = options_.batch.value_or(batch);
    context_.pass = options_.pass.value_or(find_pass(pass.value_or("forward")).value_or(Pass::Forward));
    defaults(map);
    word_bits_ = map.child("word_bits");
    if (word_bits_ && (map.child("layers") || map.child("layers_from")))
      context_.word_bits = read_word_bits(*word_bits_, errors_);
  }

  // Those of the network name tensors of some layer.
  void word_bits_of_layers() {
    if (context_.word_bits.empty() || !errors_.empty()) return;
    std::vector<const Workload*> workloads;
    for (const Layer& layer : network_.layers) workloads.push_back(&layer.workload);
    for (const Diagnostic& d : unknown_tensors(workloads, context_.word_bits))
      errors_.push_back(word_bits_->find(context_.word_bits[at(d.line)].tensors)->error(d.message));
  }

  void defaults(FieldReader& map) {
    const auto node = map.child("defaults");
    if (!node) return;
    FieldReader families(*node, family_defaults_fields(), errors_);
    for (const std::string& name : family_names()) {
      const auto values = families.child(name);
      if (!values) continue;
      if (auto arguments = read_arguments(*find_family(name), *values, errors_)) context_.defaults[name] = *arguments;
    }
    families.finish();
  }

  void refuse_shapes(FieldReader& map) {
    for (const FileField& field : shape_fields())
      if (const auto node = map.child(field.name); node && field.name != "word_bits")  // of all layers, too
        errors_.push_back(
            node->error(fmt::format("'{}' is of one layer, and the file has a list of them", field.name)));
  }

  void single(FieldReader& map) {
    std::optional<Workload> workload = read_workload(map, context_, errors_);
    if (!workload) return;
    workload->name = network_.name;
    network_.layers.push_back({std::move(*workload), 1});
  }

  void layers_from(const YamlNode& node) {
    const auto text = node.is_scalar() ? workload_preset(node.text()) : std::nullopt;
    const std::vector<std::string> names = workload_preset_names();
    if (!text) {
      errors_.push_back(node.error(fmt::format("layers_from = {}, must be a preset's name{}", shortened(node.text()),
                                               did_you_mean(node.text(), names))));
      return;
    }
    const Result<YamlNode> preset = YamlNode::parse(*text, "presets/" + node.text() + ".yaml");
    const std::optional<YamlNode> layers = preset ? preset->find("layers") : std::nullopt;
    if (!layers) {
      errors_.push_back(node.error(fmt::format("preset '{}' has no layers of its own", node.text())));
      return;
    }
    FieldReader header(*preset, workload_file_fields(), errors_);
    defaults(header);
    edges_.edges = preset->find("edges");
    edges_.inputs = preset->find("inputs");
    this->layers(*layers);
  }

  void layers(const YamlNode& node) {
    if (!node.is_sequence() || node.size() == 0) {
      errors_.push_back(node.error("layers must be a list with at least one layer"));
      return;
    }
    std::map<std::string, int> lines;
    for (std::size_t i = 0; i < node.size(); ++i) {
      const YamlNode layer = node.at(i);
      FieldReader map(layer, layer_fields(), errors_);
      const auto name = map.string("name");
      if (name) layer_name(*map.child("name"), lines);
      const u64 count = static_cast<u64>(map.integer("count").value_or(1));
      const auto reads = map.child("reads");
      std::optional<Workload> workload = read_workload(map, context_, errors_);
      map.finish();
      if (!workload || !name) continue;
      if (reads) edges_.reads.emplace_back(static_cast<int>(network_.layers.size()), *reads);
      workload->name = *name;
      network_.layers.push_back({std::move(*workload), count});
    }
  }

  void layer_name(const YamlNode& node, std::map<std::string, int>& lines) {
    const std::string& name = node.text();
    if (trim(name).empty() || name.find_first_of("/@") != std::string::npos) {
      errors_.push_back(node.error(fmt::format("name = {}, must be a text without / and @", shortened(name))));
    }
    const auto [it, fresh] = lines.emplace(name, node.line());
    if (!fresh) {
      errors_.push_back(
          node.error(fmt::format("a second layer '{}', the first is at line {}", shortened(name), it->second)));
    }
  }

  void limits() {
    if (!errors_.empty() || network_.macs() <= kMaxNetworkMacs) return;
    errors_.push_back(root_.error(
        fmt::format("more than {} multiply-accumulates in all layers, the most accepted", kMaxNetworkMacs)));
  }

  const YamlNode& root_;
  const NetworkOptions& options_;
  LayerContext context_;
  EdgeNodes edges_;
  std::optional<YamlNode> word_bits_;
  Network network_;
  Diagnostics errors_;
};

}  // namespace

std::optional<Pass> find_pass(std::string_view name) {
  if (name == "forward") return Pass::Forward;
  if (name == "weight_update") return Pass::WeightUpdate;
  return std::nullopt;
}

Result<Network> network_from_yaml(const YamlNode& root, const std::string& fallback_name,
                                  const NetworkOptions& options) {
  return NetworkReader(root, options).run(fallback_name);
}

}  // namespace heliolite
