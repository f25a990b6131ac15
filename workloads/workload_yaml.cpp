#include "workloads/workload_yaml.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/embedded.h"
#include "engine/base/text.h"
#include "workloads/einsum_text.h"
#include "workloads/graph.h"
#include "workloads/network_parts.h"
#include "workloads/word_bits.h"
#include "workloads/workload_fields.h"

namespace heliolite {

std::span<const EmbeddedFile> embedded_workload_presets();  // generated from workloads/presets
namespace {

constexpr std::size_t kMaxOneRun = 200;

class NetworkReader {
 public:
  NetworkReader(const YamlNode& root, const NetworkOptions& options, const NetworkLoader& load)
      : root_(root), options_(options), load_(load) {}

  Result<Network> run(const std::string& fallback_name) {
    FieldReader map(root_, workload_file_fields(), errors_);
    network_.name = map.string("name").value_or(fallback_name);
    map.ignore("source");
    header(map);
    const auto layers = map.child("layers");
    const auto from = map.child("layers_from");
    const auto whole = map.child("network");
    const u64 repeat = static_cast<u64>(map.integer("repeat").value_or(1));
    if (layers && from) map.error("both 'layers' and 'layers_from', must be one");
    if (whole && (layers || from))
      map.error(fmt::format("both 'network' and '{}', must be one", layers ? "layers" : "layers_from"));
    if (layers || from || whole) refuse_shapes(map);
    if (layers) {
      this->layers(*layers);
    } else if (from) {
      layers_from(*from);
    } else if (whole) {
      whole_ = true;
      nested(*whole, {"", 1, *whole});
    } else {
      single(map);
    }
    if (const auto edges = map.child("edges")) edges_.edges = edges;
    if (const auto inputs = map.child("inputs")) edges_.inputs = inputs;
    map.finish();
    repeat_all(repeat, map);
    inherit_run(repeat);
    word_bits_of_layers();
    finish();
    if (!errors_.empty()) return errors_;
    return std::move(network_);
  }

 private:
  // A part of the network whose layers are called NAME.LAYER, or LAYER without a name, and run `repeat` times.
  struct Block {
    std::string name;
    u64 repeat = 1;
    YamlNode node;
  };

  // What the file says of its layers together, once they are all there.
  void finish() {
    unique_names();
    limits();
    // What layers make for one another is said of the forward pass: the weight update finds all of it in memory.
    if (!errors_.empty() || context_.pass != Pass::Forward) return;
    read_edges(edges_, network_, errors_);
    if (errors_.empty()) join_edges();
  }

  // batch, pass, defaults; the options win over the file.
  void header(FieldReader& map) {
    if (const auto batch = map.integer("batch")) stated_.batch = static_cast<u64>(*batch);
    if (const auto pass = map.choice("pass")) stated_.pass = find_pass(*pass);
    if (options_.batch) stated_.batch = options_.batch;
    if (options_.pass) stated_.pass = options_.pass;
    context_.batch = stated_.batch.value_or(1);
    in_sizes_ = map.integer("batch_in_sizes");
    network_.batch = context_.batch * static_cast<u64>(in_sizes_.value_or(1));
    context_.pass = stated_.pass.value_or(Pass::Forward);
    what_a_run_is(map);
    defaults(map);
    word_bits_ = map.child("word_bits");
    if (word_bits_ && (map.child("layers") || map.child("layers_from") || map.child("network")))
      context_.word_bits = read_word_bits(*word_bits_, errors_);
  }

  // tokens, one_run.
  void what_a_run_is(FieldReader& map) {
    if (const auto tokens = map.integer("tokens")) network_.tokens = static_cast<u64>(*tokens);
    network_.one_run = trim(map.string("one_run").value_or(""));
    const std::string& text = network_.one_run;
    if (text.size() > kMaxOneRun || text.find('\n') != std::string::npos)
      map.error(fmt::format("one_run = '{}', must be one line of at most {} characters", shortened(text), kMaxOneRun));
  }

  bool says_what_a_run_is() const { return network_.tokens || !network_.one_run.empty(); }

  // What the file does not say of a run, which is `repeat` runs of the network whose layers it has.
  void inherit_run(u64 repeat) {
    if (!says_what_a_run_is()) {
      if (inner_tokens_) network_.tokens = *inner_tokens_ * repeat;  // within 64 bits: kMaxTokens, kMaxLayerCount
      if (network_.tokens > kMaxTokens)
        errors_.push_back(root_.error(
            fmt::format("a run of {} tokens, must be at most {}: say 'tokens' of it", *network_.tokens, kMaxTokens)));
      const bool several = repeat > 1 && !inner_one_run_.empty();
      network_.one_run = several ? fmt::format("{} times {}", repeat, inner_one_run_) : inner_one_run_;
    }
    if (network_.one_run.empty() && context_.pass == Pass::WeightUpdate) network_.one_run = "the weight update";
  }

  // Word sizes of the network name tensors of some layer.
  void word_bits_of_layers() {
    if (context_.word_bits.empty() || !errors_.empty()) return;
    std::vector<const Workload*> workloads;
    for (const Layer& layer : network_.layers) workloads.push_back(&layer.workload);
    for (const Diagnostic& d : unknown_tensors(workloads, context_.word_bits))
      errors_.push_back(word_bits_->find(context_.word_bits[d.line].tensors)->error(d.message));
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
    std::optional<Workload> workload = read_workload(map, context_, network_.notes, errors_);
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
    if (const auto tokens = header.integer("tokens")) inner_tokens_ = static_cast<u64>(*tokens);
    inner_one_run_ = header.string("one_run").value_or("");
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
    for (std::size_t i = 0; i < node.size(); ++i) {
      const YamlNode layer = node.at(i);
      if (!inside_block_ && (layer.has("network") || layer.has("layers") || layer.has("repeat"))) {
        block(layer);
        continue;
      }
      FieldReader map(layer, layer_fields(), errors_);
      const auto name = map.string("name");
      if (name) layer_name(*map.child("name"));
      const u64 count = static_cast<u64>(map.integer("count").value_or(1));
      const auto reads = map.child("reads");
      std::optional<Workload> workload = read_workload(map, context_, network_.notes, errors_);
      map.finish();
      if (!workload || !name) continue;
      if (reads) edges_.reads.emplace_back(static_cast<int>(network_.layers.size()), *reads);
      workload->name = *name;
      network_.layers.push_back({std::move(*workload), count});
    }
  }

  // {name: block, repeat: 32, network: block.yaml}, or with layers, edges and inputs of its own.
  void block(const YamlNode& node) {
    FieldReader map(node, block_fields(), errors_);
    const auto name = map.string("name");
    if (name) layer_name(*map.child("name"));
    const Block block{name.value_or(""), static_cast<u64>(map.integer("repeat").value_or(1)), node};
    const auto network = map.child("network");
    const auto layers = map.child("layers");
    if (network && layers) map.error("both 'network' and 'layers', must be one");
    if (!network && !layers)
      map.error("repeat is of a block, with 'network' or 'layers'; how often a single layer runs is its count");
    const auto edges = map.child("edges"), inputs = map.child("inputs");
    for (const auto& own : {edges, inputs})
      if (network && own) errors_.push_back(own->error("goes with 'layers'; those of a network are in its file"));
    map.finish();
    if (network) nested(*network, block);
    if (!layers || network) return;
    NetworkReader inner(node, options_, load_);
    inner.inside_block_ = true;
    inner.context_ = context_;
    inner.stated_ = stated_;
    inner.network_.batch = network_.batch;
    inner.layers(*layers);
    inner.edges_.edges = edges;
    inner.edges_.inputs = inputs;
    inner.finish();
    errors_.insert(errors_.end(), inner.errors_.begin(), inner.errors_.end());
    for (std::string& note : inner.network_.notes) network_.notes.push_back(std::move(note));
    if (inner.errors_.empty()) append(std::move(inner.network_), block);
  }

  void nested(const YamlNode& what, const Block& block) {
    if (!what.is_scalar() || trim(what.text()).empty())
      return errors_.push_back(what.error("network must be what -w takes: a file, a preset, or a text"));
    if (!load_) return errors_.push_back(what.error("networks inside a network are read from files only"));
    Result<Network> found = load_(what, stated_);
    if (!found) {
      errors_.insert(errors_.end(), found.errors().begin(), found.errors().end());
      errors_.push_back(what.error(fmt::format("network '{}' cannot be read", shortened(what.text()))));
      return;
    }
    for (Layer& layer : found->layers) {  // what the inner file says goes first
      Workload sized = layer.workload;
      set_word_bits(sized, context_.word_bits);
      for (std::size_t v = 0; v < sized.tensors.size(); ++v)
        if (!layer.workload.tensors[v].word_bits) layer.workload.tensors[v].word_bits = sized.tensors[v].word_bits;
    }
    if (whole_ && !in_sizes_) network_.batch = found->batch;
    if (!whole_ && !in_sizes_ && !stated_.batch) {
      if (nested_batch_ && *nested_batch_ != found->batch)
        errors_.push_back(what.error(
            fmt::format("has a batch of {}, another network here one of {}: say 'batch' for all, or 'batch_in_sizes'",
                        found->batch, *nested_batch_)));
      nested_batch_ = network_.batch = found->batch;
    }
    for (std::string& note : found->notes) network_.notes.push_back(std::move(note));
    if (whole_) {
      inner_tokens_ = found->tokens;
      inner_one_run_ = found->one_run;
    }
    append(*std::move(found), block);
  }

  void append(Network inner, const Block& block) {
    const std::string prefix = block.name.empty() ? "" : block.name + ".";
    const int first = static_cast<int>(network_.layers.size()), first_input = static_cast<int>(inputs_.size());
    if (network_.layers.size() + inner.layers.size() > kMaxNetworkLayers)
      return errors_.push_back(
          block.node.error(fmt::format("more than {} layers, the most accepted", kMaxNetworkLayers)));
    for (Layer& layer : inner.layers) {
      layer.workload.name = prefix + layer.workload.name;
      layer.count *= block.repeat;  // within 64 bits: kMaxLayerCount squared
      if (layer.count > kMaxLayerCount)
        return errors_.push_back(block.node.error(
            fmt::format("{} runs {} times, must be at most {}", layer.workload.name, layer.count, kMaxLayerCount)));
      origins_[static_cast<int>(network_.layers.size())] = block.node;
      network_.layers.push_back(std::move(layer));
    }
    for (Input& input : inner.inputs) {
      input.name = prefix + input.name;
      inputs_.push_back(std::move(input));
    }
    for (Edge& edge : inner.edges) {
      edge.from += edge.from_input ? first_input : first;
      edge.to += first;
      inner_edges_.push_back(edge);
    }
  }

  void repeat_all(u64 repeat, FieldReader& map) {
    for (Layer& layer : network_.layers) {
      layer.count *= repeat;
      if (layer.count <= kMaxLayerCount) continue;
      return map.error(fmt::format("{} runs {} times with repeat = {}, must be at most {}", layer.workload.name,
                                   layer.count, repeat, kMaxLayerCount));
    }
  }

  void layer_name(const YamlNode& node) {
    const std::string& name = node.text();
    if (trim(name).empty() || name.find_first_of("/@") != std::string::npos)
      errors_.push_back(node.error(fmt::format("name = {}, must be a text without / and @", shortened(name))));
    const auto [it, fresh] = lines_.emplace(name, node.line());
    if (!fresh)
      errors_.push_back(
          node.error(fmt::format("a second layer '{}', the first is at line {}", shortened(name), it->second)));
  }

  // Names of layers in blocks are unique too.
  void unique_names() {
    if (origins_.empty() || !errors_.empty()) return;
    std::map<std::string, int> seen;
    for (std::size_t i = 0; i < network_.layers.size(); ++i) {
      const std::string& name = network_.layers[i].workload.name;
      const auto [it, fresh] = seen.emplace(name, static_cast<int>(i));
      if (fresh) continue;
      const auto origin = origins_.find(static_cast<int>(i)), other = origins_.find(it->second);
      const YamlNode& node = origin != origins_.end() ? origin->second : other->second;
      errors_.push_back(node.error(
          fmt::format("a second layer '{}'; a block with a name calls its layers NAME.LAYER", shortened(name))));
      return;
    }
  }

  // Adds the edges and inputs inside blocks to those of the file itself.
  void join_edges() {
    if (inner_edges_.empty()) return;
    const int first_input = static_cast<int>(network_.inputs.size());
    for (const Edge& edge : network_.edges) {
      const auto twice =
          std::ranges::find_if(inner_edges_, [&](const Edge& e) { return e.to == edge.to && e.tensor == edge.tensor; });
      if (twice == inner_edges_.end()) continue;
      const Workload& reader = network_.layers[edge.to].workload;
      errors_.push_back(origins_.at(edge.to).error(fmt::format("{} of {} has an edge inside the block and another one",
                                                               reader.tensors[edge.tensor].name, reader.name)));
    }
    for (Input& input : inputs_) {
      const auto same = [&](const Input& other) { return other.name == input.name; };
      const auto is_layer = [&](const Layer& layer) { return layer.workload.name == input.name; };
      // Inputs are told apart by their names, of blocks without names too.
      const std::string plain = input.name;
      for (int k = 2; std::ranges::any_of(network_.inputs, same) || std::ranges::any_of(network_.layers, is_layer); ++k)
        input.name = fmt::format("{}_{}", plain, k);
      network_.inputs.push_back(std::move(input));
    }
    for (Edge& edge : inner_edges_) {
      if (edge.from_input) edge.from += first_input;
      network_.edges.push_back(edge);
    }
    if (!topological_order(network_.layers.size(), network_.edges))
      errors_.push_back(root_.error("the edges close a circle, must lead from earlier to later layers"));
  }

  void limits() {
    if (!errors_.empty() || network_.macs() <= kMaxNetworkMacs) return;
    errors_.push_back(root_.error(
        fmt::format("more than {} multiply-accumulates in all layers, the most accepted", kMaxNetworkMacs)));
  }

  const YamlNode& root_;
  const NetworkOptions& options_;
  const NetworkLoader& load_;
  bool inside_block_ = false;  // this reads the layers of a block, which holds no other one
  NetworkOptions stated_;      // by the options or the file
  LayerContext context_;
  EdgeNodes edges_;
  std::optional<YamlNode> word_bits_;
  std::map<std::string, int> lines_;  // [name of a layer or block]: its first line
  // For blocks: where each of their layers is from, their inputs and edges, the batch of their files.
  std::map<int, YamlNode> origins_;
  std::vector<Input> inputs_;
  std::vector<Edge> inner_edges_;
  std::optional<u64> nested_batch_;
  std::optional<i64> in_sizes_;  // batch_in_sizes
  bool whole_ = false;           // the layers are those of one other network, which says what a run of it is
  std::optional<u64> inner_tokens_;
  std::string inner_one_run_;
  Network network_;
  Diagnostics errors_;
};

}  // namespace

std::optional<Pass> find_pass(std::string_view name) {
  if (name == "forward") return Pass::Forward;
  if (name == "weight_update") return Pass::WeightUpdate;
  return std::nullopt;
}

Result<Network> network_from_yaml(const YamlNode& root, const std::string& fallback_name, const NetworkOptions& options,
                                  const NetworkLoader& load) {
  return NetworkReader(root, options, load).run(fallback_name);
}

std::optional<std::string_view> workload_preset(std::string_view name) {
  return preset_text(embedded_workload_presets(), name);
}

std::vector<std::string> workload_preset_names() { return preset_names(embedded_workload_presets()); }

}  // namespace heliolite
