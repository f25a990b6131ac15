#include "engine/formats/language_model/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/text.h"
#include "engine/formats/language_model/blocks.h"
#include "workloads/workload_yaml.h"

namespace heliolite::language_model {
namespace {

// Blocks that are alike, in the order in which the first of each kind comes.
std::vector<std::pair<Block, u64>> kinds(const Config& config, const Request& request) {
  std::vector<std::pair<Block, u64>> found;
  for (u64 i = request.first; i <= request.last; ++i) {
    const auto same = std::ranges::find(found, config.blocks[i], &std::pair<Block, u64>::first);
    if (same == found.end()) found.emplace_back(config.blocks[i], 1);
    else ++same->second;
  }
  return found;
}

// What tells a kind of block from the others of its model: "dense", "local_experts".
std::string kind_name(const Block& block, const std::vector<std::pair<Block, u64>>& all) {
  const auto differs = [&](const auto& kind) { return kind.first.experts != block.experts; };
  const auto reaches = [&](const auto& kind) { return kind.first.reach != block.reach; };
  std::string name = std::ranges::any_of(all, reaches) ? block.reach == LookBack::All ? "global" : "local" : "";
  if (std::ranges::any_of(all, differs))
    name += fmt::format("{}{}", name.empty() ? "" : "_", block.experts ? "experts" : "dense");
  return name;
}

// The name of a run among several.
std::string run_name(const Run& run, const Request& request) {
  if (request.runs.size() == 1) return "";
  const auto same_phase = [&](const Run& other) { return other.phase == run.phase; };
  if (std::ranges::count_if(request.runs, same_phase) == 1) return std::string(name(run.phase));
  return run.phase == Phase::Prefill && run.cached == 0
             ? fmt::format("prefill_{}", run.fresh)
             : fmt::format("{}_{}+{}", name(run.phase), run.cached, run.fresh);
}

std::string joined_name(const std::string& outer, const std::string& inner) {
  return outer.empty() || inner.empty() ? outer + inner : outer + "." + inner;
}

void add_block(const Config& config, const Request& request, const Run& run, const Block& block, NetworkText& out) {
  BlockText text(config, request, run, out);
  if (config.state_space) return config.state_space->heads > 0 ? text.dual_state_space() : text.state_space();
  if (config.latent) text.latent_attention();
  else text.attention(block.reach);
  text.feed_forward(block.experts);
}

// A layer before or behind the blocks, once for each time the run is done.
std::string single(const std::string& name, const std::string& shape, u64 times) {
  return fmt::format("- {{name: {}, {}{}}}\n", yaml_scalar(name), shape,
                     times == 1 ? "" : fmt::format(", count: {}", times));
}

std::string run_text(const Config& config, const Request& request, const Run& run) {
  const std::string outer = run_name(run, request);
  std::string text;
  if (const auto& image = config.image; image && request.first == 0)
    text += single(joined_name(outer, "patches"),
                   fmt::format("conv: {{n: {}, c: {}, k: {}, p: {}, r: {}, stride: {}}}", request.batch,
                               image->channels, config.hidden, image->patches, image->patch, image->patch),
                   run.times);
  const std::vector<std::pair<Block, u64>> all = kinds(config, request);
  for (const auto& [block, count] : all) {
    NetworkText out;
    add_block(config, request, run, block, out);
    const std::string name = joined_name(outer, kind_name(block, all));
    text += fmt::format("- repeat: {}\n", count * run.times);
    if (!name.empty()) text += fmt::format("  name: {}\n", yaml_scalar(name));
    text += out.text("  ");
  }
  const bool behind = request.last + 1 == config.blocks.size();
  if (config.image && config.classes > 0 && behind)
    text +=
        single(joined_name(outer, "head"),
               fmt::format("gemm: {{m: {}, n: {}, k: {}}}", config.classes, request.batch, config.hidden), run.times);
  if (config.vocabulary == 0 || request.logits == Logits::None) return text;
  const u64 columns = request.logits == Logits::All ? request.batch * run.fresh : request.batch;
  return text + single(joined_name(outer, "head"),
                       fmt::format("gemm: {{m: {}, n: {}, k: {}}}", config.vocabulary, columns, config.hidden),
                       run.times);
}

// What one run of the network is, unless it is the whole model, once.
std::string one_run(const Config& config, const Request& request) {
  const u64 all = config.blocks.size(), first = request.first + 1, last = request.last + 1;
  std::string text;
  if (first == last) text = fmt::format("block {} of {}, ", first, all);
  else if (first > 1 || last < all) text = fmt::format("blocks {} to {} of {}, ", first, last, all);
  if (text.empty() && request.runs.size() == 1 && request.runs.front().times == 1) return "";
  constexpr std::size_t kListed = 3;
  for (std::size_t i = 0; i < request.runs.size() && i < kListed; ++i) {
    const Run& run = request.runs[i];
    text += fmt::format("{}{}{}", i == 0 ? "" : ", ", run.times == 1 ? "" : fmt::format("{} times ", run.times),
                        run.text());
  }
  if (request.runs.size() > kListed) text += fmt::format(" and {} more", request.runs.size() - kListed);
  return text;
}

// What a user should know of the contexts that are asked for.
std::vector<std::string> request_notes(const Config& config, const Request& request, const std::string& what) {
  std::vector<std::string> notes;
  for (const Run& run : request.runs)
    if (config.positions > 0 && run.context() > config.positions && !config.state_space)
      notes.push_back(fmt::format("{}: a context of {} tokens, the config states {} positions", shortened(what),
                                  run.context(), config.positions));
  return notes;
}

}  // namespace

std::string network_text(const Config& config, const Request& request, const std::string& name) {
  std::string text = fmt::format("name: {}\n", yaml_scalar(name));
  if (request.batch > 1) text += fmt::format("batch_in_sizes: {}\n", request.batch);
  u64 tokens = 0;
  for (const Run& run : request.runs) tokens += run.times * run.fresh;
  if (!config.image) text += fmt::format("tokens: {}\n", tokens);
  if (const std::string run = one_run(config, request); !run.empty()) text += fmt::format("one_run: \"{}\"\n", run);
  text += "layers:\n";
  for (const Run& run : request.runs) text += run_text(config, request, run);
  return text;
}

Result<Network> import_config(const YamlNode& root, const std::string& fallback_name, const std::string& what,
                              const std::optional<std::string>& options, std::optional<u64> batch) {
  const Result<Config> config = read_config(root);
  if (!config) return config.errors();
  const Result<Request> request = read_request(options, what, batch, *config);
  if (!request) return request.errors();
  const auto stated = root.find("name");
  const std::string text =
      network_text(*config, *request, stated && stated->is_scalar() ? stated->text() : fallback_name);
  const Result<YamlNode> file = YamlNode::parse(text, shortened(what));
  if (!file) return file.errors();
  Result<Network> network = network_from_yaml(*file, fallback_name);
  if (!network) return network;
  for (const auto& notes : {config->notes, request_notes(*config, *request, what)})
    network->notes.insert(network->notes.end(), notes.begin(), notes.end());
  return network;
}

}  // namespace heliolite::language_model
