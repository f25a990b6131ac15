#include "engine/formats/language_model/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/formats/language_model/blocks.h"
#include "workloads/workload_yaml.h"

namespace heliolite::language_model {
namespace {

constexpr std::size_t kMostRuns = 1000;
constexpr u64 kMostTokens = 2'147'483'647;  // of all sequences, as of any dimension

const std::vector<std::string>& request_options() {
  static const std::vector<std::string> names{"phase",    "batch",  "new",    "cached",     "times",
                                              "absorbed", "layers", "logits", "elementwise"};
  return names;
}

class RequestReader {
 public:
  RequestReader(const std::string& what, const Config& config) : what_(what), config_(config) {}

  Result<Request> run(const std::optional<std::string>& text, std::optional<u64> batch) {
    if (text) collect(*text);
    request_.batch = one("batch", 1, kMaxBatch).value_or(batch.value_or(1));
    blocks();
    request_.elementwise = choice("elementwise", {"edges", "layers"}, 0) == 1;
    const bool to_end = request_.last + 1 == config_.blocks.size();
    request_.logits = static_cast<Logits>(choice("logits", {"none", "last", "all"}, to_end && whole() ? 1 : 0));
    runs();
    if (!errors_.empty()) return errors_;
    return std::move(request_);
  }

 private:
  void complain(std::string message) { errors_.push_back({shortened(what_), 0, "", std::move(message)}); }

  bool whole() const { return request_.first == 0; }

  // The values of each option, as texts.
  void collect(const std::string& text) {
    if (trim(text).empty()) return complain("nothing after '@', must be like phase=decode,cached=2047");
    for (const std::string& option : split(text, ',')) {
      const std::size_t equals = option.find('=');
      const std::string key(trim(std::string_view(option).substr(0, equals)));
      const std::vector<std::string>& known = request_options();
      if (std::ranges::find(known, key) == known.end()) {
        complain(fmt::format("unknown option '{}', must be {}{}", shortened(key), join(known, "or"),
                             did_you_mean(key, known)));
      } else if (values_.contains(key)) {
        complain(fmt::format("{} is said twice; several values have '+' between them", key));
      } else {
        values_[key] =
            equals == std::string::npos ? std::vector<std::string>{""} : split(option.substr(equals + 1), '+');
        if (values_[key].empty()) values_[key] = {""};
      }
    }
  }

  std::optional<u64> number(const std::string& key, const std::string& text, u64 least, u64 most) {
    const std::optional<u64> value = parse_number<u64>(text);
    if (value && *value >= least && *value <= most) return value;
    complain(fmt::format("{} = {}, must be an integer from {} to {}", key, shortened(text), least, most));
    return std::nullopt;
  }

  std::optional<u64> one(const std::string& key, u64 least, u64 most) {
    const auto found = values_.find(key);
    if (found == values_.end()) return std::nullopt;
    if (found->second.size() == 1) return number(key, found->second.front(), least, most);
    complain(fmt::format("{} has {} values, must be one for all runs", key, found->second.size()));
    return std::nullopt;
  }

  // The position of a value among those that are allowed.
  std::size_t choice_of(const std::string& key, const std::string& text, const std::vector<std::string>& allowed) {
    const auto at = std::ranges::find(allowed, text);
    if (at != allowed.end()) return static_cast<std::size_t>(at - allowed.begin());
    complain(
        fmt::format("{} = {}, must be {}{}", key, shortened(text), join(allowed, "or"), did_you_mean(text, allowed)));
    return 0;
  }

  std::size_t choice(const std::string& key, const std::vector<std::string>& allowed, std::size_t usual) {
    const auto found = values_.find(key);
    if (found == values_.end()) return usual;
    if (found->second.size() == 1) return choice_of(key, found->second.front(), allowed);
    complain(fmt::format("{} has {} values, must be one for all runs", key, found->second.size()));
    return usual;
  }

  // "2": the first two blocks; "4-7": from the fourth to the seventh.
  void blocks() {
    const u64 all = config_.blocks.size();
    request_.last = all - 1;
    const auto found = values_.find("layers");
    if (found == values_.end()) return;
    const std::string& text = found->second.front();
    const std::size_t dash = text.find('-');
    const std::optional<u64> first = dash == std::string::npos ? 1 : parse_number<u64>(text.substr(0, dash));
    const std::optional<u64> last = parse_number<u64>(dash == std::string::npos ? text : text.substr(dash + 1));
    if (found->second.size() != 1 || !first || !last || *first < 1 || *first > *last || *last > all)
      return complain(fmt::format("layers = {}, must be a number of blocks or the first and the last, like 1-2, of {}",
                                  shortened(fmt::format("{}", fmt::join(found->second, "+"))), all));
    request_.first = *first - 1;
    request_.last = *last - 1;
  }

  // The value of an option for run i: its own, or the one for all.
  const std::string* value(const std::string& key, std::size_t i) const {
    const auto found = values_.find(key);
    if (found == values_.end()) return nullptr;
    return &found->second[found->second.size() == 1 ? 0 : i];
  }

  std::size_t count_runs() {
    std::size_t count = 1;
    for (const char* key : {"phase", "new", "cached", "times", "absorbed"}) {
      const auto found = values_.find(key);
      const std::size_t own = found == values_.end() ? 1 : found->second.size();
      if (own == 1) continue;
      if (count > 1 && own != count)
        complain(fmt::format("{} has {} values, must be one for all runs, or {}", key, own, count));
      count = std::max(count, own);
    }
    if (count > kMostRuns) complain(fmt::format("{} runs, must be at most {}", count, kMostRuns));
    return errors_.empty() ? count : 0;
  }

  void runs() {
    const std::size_t count = count_runs();
    for (std::size_t i = 0; i < count; ++i) {
      const Run run = this->run(i);
      const auto same = [&](const Run& other) { return other.text() == run.text(); };
      if (std::ranges::any_of(request_.runs, same))
        complain(fmt::format("two runs are a {}; 'times' says how often one is run", run.text()));
      if (run.context() > kMostTokens / request_.batch)
        complain(fmt::format("{} sequences of {} tokens, must be at most {} tokens", request_.batch, run.context(),
                             kMostTokens));
      request_.runs.push_back(run);
    }
    const u64 tokens = sum_of<u64>(request_.runs, [&](const Run& run) { return run.times * run.fresh; });
    if (tokens > kMaxTokens) complain(fmt::format("{} tokens in all runs, must be at most {}", tokens, kMaxTokens));
  }

  Run run(std::size_t i) {
    Run run;
    const std::string* phase = value("phase", i);
    run.phase = static_cast<Phase>(phase ? choice_of("phase", *phase, {"prefill", "decode"}) : 0);
    const bool decode = run.phase == Phase::Decode;
    if (config_.encoder && decode) complain(fmt::format("phase = decode, but {} makes no tokens", config_.family));
    const u64 usual = config_.positions == 0 ? kUsualContext : std::min(config_.positions, kUsualContext);
    run.fresh = decode ? 1 : usual;
    if (config_.image) run.fresh = config_.image->patches * config_.image->patches + 1;
    for (const char* key : {"new", "cached"})
      if (value(key, i) && (config_.image || (config_.encoder && key[0] == 'c')))
        complain(fmt::format("{} is of models that read or make tokens one after the other", key));
    if (const std::string* fresh = value("new", i)) run.fresh = number("new", *fresh, 1, kMostTokens).value_or(1);
    if (decode) run.cached = usual > run.fresh ? usual - run.fresh : 0;
    if (const std::string* cached = value("cached", i))
      run.cached = number("cached", *cached, 0, kMostTokens).value_or(0);
    if (const std::string* times = value("times", i))
      run.times = number("times", *times, 1, kMaxLayerCount).value_or(1);
    run.absorbed = decode;
    if (const std::string* absorbed = value("absorbed", i)) {
      run.absorbed = choice_of("absorbed", *absorbed, {"no", "yes"}) == 1;
      if (!config_.latent) complain("absorbed is of latent attention, which this model does not have");
    }
    return run;
  }

  const std::string& what_;
  const Config& config_;
  std::map<std::string, std::vector<std::string>> values_;
  Request request_;
  Diagnostics errors_;
};

}  // namespace

std::string_view name(Phase phase) { return phase == Phase::Prefill ? "prefill" : "decode"; }

std::string Run::text() const {
  const std::string tokens = fmt::format("{} of {} token{}", name(phase), fresh, fresh == 1 ? "" : "s");
  return cached == 0 ? tokens : fmt::format("{} after {}", tokens, cached);
}

namespace {

// Reads the text behind '@', if there is one, for a model. `what` is the whole request, for complaints; `batch` holds
// where the text says none.
Result<Request> read_request(const std::optional<std::string>& text, const std::string& what, std::optional<u64> batch,
                             const Config& config) {
  return RequestReader(what, config).run(text, batch);
}

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
  const u64 tokens = sum_of<u64>(request.runs, [&](const Run& run) { return run.times * run.fresh; });
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
