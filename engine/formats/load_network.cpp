#include "engine/formats/load_network.h"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "engine/base/embedded.h"
#include "engine/base/file_bytes.h"
#include "engine/base/text.h"
#include "engine/formats/accelforge/files.h"
#include "engine/formats/language_model/import.h"
#include "engine/formats/network_request.h"
#include "engine/formats/onnx/import.h"
#include "engine/formats/timeloop/problem.h"
#include "engine/inputs/input_file.h"
#include "workloads/compact_text.h"
#include "workloads/einsum_text.h"
#include "workloads/operator_layers.h"
#include "workloads/word_bits.h"
#include "workloads/workload_yaml.h"

namespace heliolite {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxNestedNetworks = 16;

Network single(Workload workload) {
  Network network{workload.name, {}};
  network.layers.push_back({std::move(workload), 1});
  return network;
}

// A question to a file, and what was met on the way to its answer: networks inside networks.
struct Reading {
  const ReadOptions& options;
  Wanted wanted = Wanted::Shapes;
  bool met_model = false;             // an ONNX model is among them
  std::vector<std::string> inside{};  // names of the files and presets that are being read, outermost first
  // [what, batch and pass]: those that were read already; none: with errors, which are reported once.
  std::map<std::string, std::optional<Network>> nested{};
};

Result<Network> find_network(const std::string& what, const NetworkOptions& outer, Reading& reading);

// What the key `network` of the file or preset `from` names. Options behind the name go before those of the file.
Result<Network> nested_network(const YamlNode& node, bool in_preset, const NetworkOptions& outer, Reading& reading) {
  const std::string& what = node.text();
  const bool path_like = what.find(".yaml") != std::string::npos || what.find(".yml") != std::string::npos ||
                         what.find(".onnx") != std::string::npos || what.find(".json") != std::string::npos;
  const std::string name = in_preset || is_compact_text(what) ? what : named_file(node.file(), what, path_like);
  if (reading.inside.size() >= kMaxNestedNetworks)
    return node.error(fmt::format("networks nested over {} deep", kMaxNestedNetworks));
  const std::string key =
      fmt::format("{}\n{} {}", name, outer.batch.value_or(0), outer.pass ? static_cast<int>(*outer.pass) : -1);
  if (const auto known = reading.nested.find(key); known != reading.nested.end()) {
    if (!known->second) return node.error("has the errors that are listed where it is read first");
    return *known->second;
  }
  Result<Network> network = find_network(name, outer, reading);
  reading.nested.emplace(key, network ? std::optional(*network) : std::nullopt);
  return network;
}

// Names what is read while it is: none may be inside itself.
class Inside {
 public:
  Inside(const std::string& name, Reading& reading) : reading_(reading) {
    std::error_code error;
    const fs::path path = fs::weakly_canonical(name, error);
    const std::string full = error ? name : path.string();
    again_ = std::ranges::find(reading.inside, full) != reading.inside.end();
    reading.inside.push_back(full);
  }
  ~Inside() { reading_.inside.pop_back(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  bool again() const { return again_; }

 private:
  Reading& reading_;
  bool again_ = false;
};

// Options behind a name, and for what they do not say those of the network that it stands in.
Result<NetworkOptions> options_of_ours(const NetworkRequest& request, const NetworkOptions& outer) {
  Result<NetworkOptions> options = parse_network_options(request);
  if (options && !options->batch) options->batch = outer.batch;
  if (options && !options->pass) options->pass = outer.pass;
  return options;
}

Result<Network> from_config(const YamlNode& root, const std::string& name, const NetworkRequest& request,
                            const NetworkOptions& outer) {
  if (outer.pass.value_or(Pass::Forward) != Pass::Forward)
    return root.error("a language model's config is of the forward pass, which its network is");
  const std::string what = request.name + (request.options ? "@" + *request.options : "");
  return language_model::import_config(root, name, what, request.options, outer.batch);
}

// What stands behind '@' are values of its template, which it has been read with.
Result<Network> from_accelforge(const YamlNode& root, const std::string& name, const NetworkOptions& outer) {
  if (outer.batch || outer.pass)
    return root.error(
        "a workload of AccelForge has its sizes by the names of its template; 'batch' and 'pass' are of "
        "networks of ours");
  return accelforge::read_workload(root, name);
}

// A document of ours, of Timeloop, of AccelForge or a language model's config; what stands behind '@' depends on which
// it is.
Result<Network> from_yaml(const YamlNode& root, const std::string& name, const NetworkRequest& request,
                          const NetworkOptions& outer, Reading& reading, bool preset = false,
                          const std::vector<YamlNode>& others = {}) {
  if (language_model::is_config(root)) return from_config(root, name, request, outer);
  if (accelforge_part(root) == "workload") return from_accelforge(root, name, outer);
  const Result<NetworkOptions> stated = options_of_ours(request, outer);
  if (!stated) return stated.errors();
  const NetworkOptions& options = *stated;
  if (!is_timeloop_problem(root)) {
    const Inside inside(preset ? name : root.file(), reading);
    if (inside.again()) return root.error("is a network inside itself");
    return network_from_yaml(root, name, options, [&](const YamlNode& what, const NetworkOptions& inner) {
      return nested_network(what, preset, inner, reading);
    });
  }
  if (options.batch || options.pass)
    return Diagnostic{root.file(), 0, "",
                      "a Timeloop problem gives all its sizes; '@batch' and '@pass' are for networks of ours"};
  std::vector<std::string> notes;
  Result<Workload> workload = timeloop_problem(root, name, others, &notes);
  if (!workload) return workload.errors();
  Network network = single(std::move(*workload));
  network.notes = std::move(notes);
  return network;
}

// The folder that all files are in, or the first file.
std::string name_of_files(const std::vector<std::string>& paths) {
  const fs::path folder = fs::absolute(paths.front()).parent_path();
  const auto is_beside = [&](const std::string& path) { return fs::absolute(path).parent_path() == folder; };
  const std::string name = folder.filename().string();
  return std::ranges::all_of(paths, is_beside) && !name.empty() ? name : fs::path(paths.front()).stem().string();
}

// The document of a file. The names behind '@' are its template's if it is AccelForge's, else options of what it is.
Result<YamlNode> load_workload_file(const std::string& path, const NetworkRequest& request,
                                    const ReadOptions& options) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return text.errors();
  if (accelforge_part(*text).empty()) return refuse_accelforge(load_input(path, options, *text), "workload");
  const Result<ReadOptions> all = accelforge::with_parameters(options, request.options, path);
  return all ? refuse_accelforge(load_input(path, *all, *text), "workload") : Result<YamlNode>(all.errors());
}

// A file, or a Timeloop problem with files of its variables; several problems are the layers of a network. What is no
// problem in a `folder` is left out.
Result<Network> from_files(const std::vector<std::string>& paths, const NetworkRequest& request,
                           const NetworkOptions& outer, Reading& reading, bool folder = false) {
  Diagnostics errors;
  std::vector<std::string> notes;
  std::vector<YamlNode> others;
  for (const std::string& path : paths) {
    const Result<YamlNode> root = load_workload_file(path, request, reading.options);
    if (root) others.push_back(reading.options.ignore_sparse ? without_sparse(*root, notes) : *root);
    else errors.insert(errors.end(), root.errors().begin(), root.errors().end());
  }
  if (!errors.empty()) return errors;
  const auto found = std::ranges::find_if(others, is_timeloop_problem);
  if (found == others.end() && folder)
    return Diagnostic{fs::path(paths.front()).parent_path().string(), 0, "",
                      "no file of this folder is a Timeloop problem; name the file of a network of ours itself"};
  if (folder || std::ranges::count_if(others, is_timeloop_problem) > 1) {
    if (request.options || outer.batch || outer.pass)
      return Diagnostic{paths.front(), 0, "",
                        "Timeloop problems give all their sizes; 'batch' and 'pass' are for ours"};
    Result<Network> network = network_of_problems(others, name_of_files(paths));
    if (network) network->notes.insert(network->notes.begin(), notes.begin(), notes.end());
    return network;
  }
  if (found == others.end() && paths.size() > 1)
    return others.front().error("several files: one must be a Timeloop problem, the others have its variables");
  const std::size_t at = found == others.end() ? 0 : static_cast<std::size_t>(found - others.begin());
  const YamlNode root = others[at];
  others.erase(others.begin() + at);
  Result<Network> network =
      from_yaml(root, fs::path(paths[at]).stem().string(), request, outer, reading, false, others);
  if (network) network->notes.insert(network->notes.begin(), notes.begin(), notes.end());
  return network;
}

// Adds what stands behind '@', which goes first, and what the user says of models.
Diagnostics add_model_options(const NetworkRequest& request, const ReadOptions& reading, onnx::Options& options) {
  Diagnostics errors;
  const auto add = [&](const std::string& text) {
    for (Diagnostic& error : onnx::add_options(text, request.name, options)) errors.push_back(std::move(error));
  };
  std::set<std::string> own;
  if (request.options) {
    add(*request.options);
    for (const std::string& option : split(*request.options, ',')) own.insert(onnx::option_key(option));
  }
  for (const std::string& option : reading.models) {
    const std::string key = onnx::option_key(option);
    if (reading.used_models && own.contains(key)) continue;
    if (reading.used_models) options.optional.insert(key);
    add(option);
  }
  return errors;
}

Result<Network> from_onnx(const NetworkRequest& request, const NetworkOptions& outer, Reading& reading) {
  onnx::Options options;
  reading.met_model = true;
  if (outer.batch || outer.pass)
    return Diagnostic{request.name, 0, "",
                      "an ONNX model has the sizes of its dimensions (--dim) and one pass; 'batch' and 'pass' are of "
                      "networks of ours"};
  options.types = reading.options.word_bits.source == WordBitsSource::Types;
  std::set<std::string> lacked;
  options.lacked = &lacked;
  if (Diagnostics errors = add_model_options(request, reading.options, options); !errors.empty()) return errors;
  const onnx::Merge merge = reading.wanted == Wanted::Shapes ? onnx::Merge::Shapes : onnx::Merge::None;
  Result<onnx::Imported> imported = onnx::import_file(request.name, options, merge);
  if (!imported) return imported.errors();
  if (const auto& used = reading.options.used_models)
    for (const std::string& option : reading.options.models)
      if (std::string key = onnx::option_key(option); !lacked.contains(key)) used->insert(std::move(key));
  if (imported->network.layers.empty())
    return Diagnostic{request.name, 0, "", "nothing in this model multiplies matrices (" + imported->summary + ")"};
  for (const std::string& note : imported->notes())
    imported->network.notes.push_back(fmt::format("{}: {}", request.name, note));
  return std::move(imported->network);
}

Result<Network> from_file(const NetworkRequest& request, const NetworkOptions& outer, Reading& reading) {
  if (onnx::looks_like_onnx(request.name)) return from_onnx(request, outer, reading);
  return from_files({request.name}, request, outer, reading);
}

Result<Network> from_preset(std::string_view text, const NetworkRequest& request, const NetworkOptions& outer,
                            Reading& reading) {
  const Result<YamlNode> root = YamlNode::parse(text, "presets/" + request.name + std::string(kPresetSuffix));
  if (!root) return root.errors();
  Result<Network> network = from_yaml(*root, request.name, request, outer, reading, true);
  if (!network || !request.layer) return network;
  std::vector<std::string> names;
  for (Layer& layer : network->layers) {
    if (layer.workload.name == *request.layer) {
      Network one = single(std::move(layer.workload));
      one.name = request.name + "/" + *request.layer;
      return one;
    }
    names.push_back(layer.workload.name);
  }
  const std::string hint = did_you_mean(*request.layer, names);
  return Diagnostic{request.name, 0, "",
                    fmt::format("no layer '{}'{}", shortened(*request.layer),
                                hint.empty() ? ", must be one of " + join(names, "or") : hint)};
}

bool is_path_of_network(std::string_view what) {
  return what.find('/') != std::string_view::npos || what.ends_with(".yaml") || what.ends_with(".yml") ||
         what.ends_with(".json") || what.ends_with(".onnx");
}

Diagnostic nothing_matches(const std::string& what, const std::string& name) {
  const std::vector<std::string> presets = workload_preset_names();
  const std::string hint = did_you_mean(name, presets);
  return {
      what.empty() ? "''" : shortened(what), 0, "",
      fmt::format("no such workload{} It must be a file, a preset ({}), a shape with sizes like gemm:512x512x512 ({}), "
                  "or an Einsum like \"o[i,j] += a[i,k]*b[k,j]; i=8,j=8,k=8\"",
                  hint.empty() ? "." : hint, join(presets), join(family_names()))};
}

Result<Network> find_network(const std::string& what, const NetworkOptions& outer, Reading& reading) {
  const auto is_file = [](const std::string& path) {
    std::error_code error;
    return path.find('\0') == std::string::npos && fs::exists(path, error) && !fs::is_directory(path, error);
  };
  // Step 1. A file that exists.
  if (is_file(what)) return from_file({what, {}, {}}, outer, reading);
  const std::vector<std::string> parts = split(what, ',');
  if (parts.size() > 1 && std::ranges::all_of(parts, is_file)) return from_files(parts, {}, outer, reading);
  std::error_code not_there;
  if (what.find('\0') == std::string::npos && !workload_preset(what) && fs::is_directory(what, not_there)) {
    const Result<std::vector<std::string>> files = yaml_files_of(what);
    return files ? from_files(*files, {}, outer, reading, true) : files.errors();
  }
  // Step 2. Compact text.
  if (is_compact_text(what)) {
    std::vector<std::string> notes;
    Result<Workload> workload = parse_compact_text(what, &notes);
    if (!workload) return workload.errors();
    if (outer.batch.value_or(1) != 1 || outer.pass.value_or(Pass::Forward) != Pass::Forward)
      return Diagnostic{shortened(what), 0, "",
                        "gives all its sizes; 'batch' and 'pass' are for layers of files and presets"};
    Network network = single(std::move(*workload));
    network.notes = std::move(notes);
    return network;
  }
  // Step 3. A preset, one of its layers, or a file, with options after '@'.
  const NetworkRequest request = parse_network_request(what);
  if (const auto text = workload_preset(request.name)) return from_preset(*text, request, outer, reading);
  if (is_file(request.name)) return from_file(request, outer, reading);
  // Step 4. Nothing: a path gets the file system's complaint.
  std::error_code error;
  if (is_path_of_network(request.name) || fs::is_directory(request.name, error))
    return from_file({request.name, {}, {}}, outer, reading);
  return nothing_matches(what, request.name);
}

}  // namespace

Result<Network> parse_network(std::string_view text, const std::string& file) {
  const Result<YamlNode> root = YamlNode::parse(text, file);
  if (!root) return root.errors();
  const ReadOptions options;
  Reading reading{options};
  return from_yaml(*root, fs::path(file).stem().string(), {file, {}, {}}, {}, reading);
}

ReadOptions for_several(ReadOptions options) {
  if (!options.used_models) options.used_models = std::make_shared<std::set<std::string>>();
  return options;
}

Diagnostics unused_model_options(const ReadOptions& options) {
  Diagnostics errors;
  for (const std::string& option : options.models)
    if (!options.used_models->contains(onnx::option_key(option)))
      errors.push_back(
          {"", 0, "",
           fmt::format("'{}' is said of ONNX models, and no workload is one that has it", shortened(option))});
  return errors;
}

bool names_workload(const std::string& what) {
  return is_compact_text(what) || workload_preset(what.substr(0, what.find_first_of("/@"))).has_value();
}

Result<Network> load_network(const std::string& asked, const ReadOptions& options, Wanted wanted) {
  const Result<OperatorRequest> operators = parse_operators(asked);
  if (!operators) return operators.errors();
  const std::string& what = operators->what;
  Reading reading{options, operators->layers ? Wanted::Edges : wanted};
  Result<Network> network = find_network(what, {}, reading);
  if (!network) return network;
  if (operators->layers) {
    const std::size_t before = network->layers.size();
    network = with_operator_layers(*network, operators->prices);
    if (!network) return network;
    if (const std::size_t added = network->layers.size() - before; added > 0)
      network->notes.push_back(
          fmt::format("{}: {} operators on edges are layers of their own (operators=unit)", network->name, added));
  }
  if (!options.models.empty() && !options.used_models && !reading.met_model)
    return Diagnostic{"", 0, "",
                      fmt::format("'{}' is said of an ONNX model, and {} is none (the batch of ours stands behind its "
                                  "name: resnet18@batch=4)",
                                  shortened(options.models.front()), shortened(what))};
  if (options.word_bits.source == WordBitsSource::Types && !reading.met_model)
    return Diagnostic{"", 0, "--word-bits",
                      fmt::format("types are those of an ONNX model; {} is none, say TENSOR=BITS", network->name)};
  if (Diagnostics errors = set_word_bits(*network, options.word_bits); !errors.empty()) return errors;
  if (options.renames.empty()) return network;
  if (Diagnostics errors = rename_dimensions(*network, options.renames); !errors.empty()) return errors;
  return network;
}

}  // namespace heliolite
