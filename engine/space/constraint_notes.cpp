#include "engine/space/constraint_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/text.h"
#include "engine/space/machine_words.h"
#include "engine/space/reuse.h"

namespace heliolite {
namespace {

// Statements about layers, in the order in which they were first made.
class LayerStatements {
 public:
  void add(const std::string& what, const std::string& layer) {
    const auto known = std::ranges::find(said_, what, &Said::what);
    Said& said = known == said_.end() ? said_.emplace_back(Said{what, {}}) : *known;
    if (said.layers.empty() || said.layers.back() != layer) said.layers.push_back(layer);
  }

  // "a and b in conv1; c in conv2 and fc": statements about the same layers stand together.
  std::string text() const {
    std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> groups;  // layers, statements
    for (const Said& said : said_) {
      const auto known = std::ranges::find_if(groups, [&](const auto& g) { return g.first == said.layers; });
      if (known == groups.end()) groups.push_back({said.layers, {said.what}});
      else known->second.push_back(said.what);
    }
    std::vector<std::string> parts;
    for (const auto& [layers, what] : groups)
      parts.push_back(fmt::format("{} in {}", fmt::join(what, ", "), some_of(layers)));
    return fmt::format("{}", fmt::join(parts, "; "));
  }

  bool empty() const { return said_.empty(); }

 private:
  struct Said {
    std::string what;
    std::vector<std::string> layers;
  };

  static std::string some_of(const std::vector<std::string>& layers) {
    constexpr std::size_t kMost = 12;
    if (layers.size() <= kMost) return join(layers);
    const std::vector<std::string> first(layers.begin(), layers.begin() + kMost);
    return fmt::format("{} and {} other layers", fmt::join(first, ", "), layers.size() - kMost);
  }

  std::vector<Said> said_;
};

}  // namespace

std::vector<std::string> constraint_notes(const Network& network, const Architecture& architecture,
                                          MapspaceOptions options) {
  if (options.free) return {};
  LayerStatements roles, nothing, names, cut;
  for (const Layer& layer : network.layers) {
    const Workload& workload = layer.workload;
    if (architecture.constraints_for_channels_only && !classify(workload)) continue;
    if (!resolve(workload, architecture, options)) continue;
    const MachineWords words = in_machine_words(workload, architecture);
    for (const Rename& r : words.by_role) roles.add(fmt::format("{} is {}", r.to, r.from), workload.name);
    if (!words.lacking.empty()) nothing.add(join(words.lacking), workload.name);
    for (const std::string& word : words.by_name) names.add(word, workload.name);
    for (const CutFactor& c : cut_factors(workload, architecture, options))
      cut.add(fmt::format("{} to {} ({})", c.text, c.to, c.where), workload.name);
  }
  std::vector<std::string> notes;
  const auto note = [&](const char* what, const LayerStatements& said, const char* end) {
    if (!said.empty()) notes.push_back(fmt::format("{}: {} {}{}", architecture.name, what, said.text(), end));
  };
  note("the constraints name dimensions of a convolution, which are taken by what they do:", roles, "");
  note("the constraints say something of", nothing, ", which have no such dimension: it means nothing there");
  note("the constraints are taken to mean the dimension that is called", names,
       "; if they mean the one of that name in a convolution, say --rename M=K,K=C");
  note("factors of the constraints above the sizes of layers are cut down, as Timeloop does:", cut, "");
  return notes;
}

}  // namespace heliolite
