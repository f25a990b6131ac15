#include "engine/space/constraint_notes.h"

#include <fmt/format.h>
#include <algorithm>
#include <set>
#include <utility>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/space/machine_words.h"

namespace heliolite {
namespace {

std::vector<std::string> missing_names(const Workload& workload, const std::set<std::string>& machine) {
  std::vector<std::string> missing;
  for (const std::string& word : machine)
    if (!workload.find_dimension(word)) missing.push_back(word);
  return missing;
}

// The only name that the workload lacks, if that is one of output channels.
std::optional<std::string> missing_channels(const Workload& workload, const std::set<std::string>& machine) {
  const std::vector<std::string> missing = missing_names(workload, machine);
  const DimensionRole* meaning = missing.size() == 1 ? role_named(missing[0]) : nullptr;
  if (meaning == nullptr || meaning->is != DimensionClass::OutputChannel) return std::nullopt;
  return missing[0];
}

std::string text_of(const std::vector<Rename>& renames) {
  std::vector<std::string> words;
  words.reserve(renames.size());
  for (const Rename& rename : renames) words.push_back(fmt::format("{}={}", rename.from, rename.to));
  return fmt::format("{}", fmt::join(words, ","));
}

bool has_output_channels(const Workload& workload, const std::string& name) {
  const auto dimension = workload.find_dimension(name);
  const auto classes = classify(workload);
  return dimension && classes && (*classes)[*dimension] == DimensionClass::OutputChannel;
}

// Gives a depthwise layer the dimension of size 1. Whether that makes it a workload.
bool add_channels(Workload& workload, const std::string& name) {
  Workload wider = workload;
  wider.dimensions.push_back({name, 1});
  const int added = static_cast<int>(wider.dimensions.size()) - 1;
  for (Tensor& tensor : wider.tensors)
    if (tensor.role != Role::Input) tensor.ranks.push_back({{{added, 1}}});
  if (!check(wider).empty() || !classify(workload).value_or(std::vector<DimensionClass>{}).empty()) return false;
  workload = std::move(wider);
  return true;
}

}  // namespace

std::vector<Rename> fitting_renames(const Workload& workload, const Architecture& architecture) {
  const std::set<std::string> machine = constrained_names(architecture);
  const auto classes = classify(workload);
  // In a matrix product K is the sum's dimension, and M may be rows or columns: then the user has to say.
  if (!classes || std::ranges::find(*classes, DimensionClass::Kernel) == classes->end()) return {};
  std::vector<Rename> renames;
  for (const std::string& missing : missing_names(workload, machine)) {
    const DimensionRole* meaning = role_named(missing);
    if (meaning == nullptr || !other_axis_is_named(missing, machine)) return {};
    std::vector<int> meant;
    for (std::size_t d = 0; d < workload.dimensions.size(); ++d)
      if (role_named(workload.dimensions[d].name) == meaning) meant.push_back(static_cast<int>(d));
    if (meant.size() != 1 || (*classes)[meant[0]] != meaning->is) return {};
    const std::string& from = workload.dimensions[meant[0]].name;
    const bool taken = std::ranges::find(renames, from, &Rename::from) != renames.end();
    if (taken || machine.contains(from) || !stands_as(workload, meant[0], *meaning)) return {};
    renames.push_back({from, missing});
  }
  return renames;
}

std::string rename_advice(const Workload& workload, const Architecture& architecture) {
  const std::set<std::string> machine = constrained_names(architecture);
  const std::vector<std::string> missing = missing_names(workload, machine);
  std::vector<std::string> free;  // dimensions that the constraints do not name
  for (const Dimension& d : workload.dimensions)
    if (!machine.contains(d.name)) free.push_back(d.name);
  if (missing.empty() || free.empty()) return "";
  if (missing.size() == 1 && free.size() == 1) return fmt::format("; --rename {}={}", free[0], missing[0]);
  return fmt::format("; if they are the same things under other names: --rename OLD={}, OLD one of {}",
                     fmt::join(missing, ",OLD="), join(free, "or"));
}

void fit_products(Network& network, const Architecture& architecture) {
  const auto is_convolution = [](const Layer& layer) {
    const auto classes = classify(layer.workload);
    return classes && std::ranges::find(*classes, DimensionClass::Kernel) != classes->end();
  };
  if (std::ranges::none_of(network.layers, is_convolution)) return;
  std::vector<std::string> products, names;
  for (Layer& layer : network.layers) {
    Workload& workload = layer.workload;
    if (is_convolution(layer) || in_machine_words(workload, architecture).by_name.empty()) continue;
    const MachineWords words = in_machine_words(workload, architecture, true);
    if (words.by_role.empty()) continue;
    for (std::size_t d = 0; d < workload.dimensions.size(); ++d) {
      std::string& name = workload.dimensions[d].name;
      const std::string renamed = fmt::format("{} is {}", name, words.workload.dimensions[d].name);
      if (words.workload.dimensions[d].name != name && std::ranges::find(names, renamed) == names.end())
        names.push_back(renamed);
      name = words.workload.dimensions[d].name;
    }
    products.push_back(workload.name);
  }
  if (!products.empty())
    network.notes.push_back(
        fmt::format("{}: the constraints mean dimensions of a convolution, as the layers beside "
                    "{} have them, so those of the product are called alike: {}",
                    architecture.name, join(products), join(names)));
}

void fit_names(Network& network, const Architecture& architecture) {
  const std::set<std::string> machine = constrained_names(architecture);
  std::vector<Rename> noted;
  std::vector<std::string> widened;
  std::string channels;
  for (Layer& layer : network.layers) {
    const std::vector<Rename> renames = fitting_renames(layer.workload, architecture);
    if (!renames.empty() && rename_dimensions(layer.workload, renames).empty() && noted.empty()) noted = renames;
  }
  for (Layer& layer : network.layers) {
    // A depthwise layer gets the names of the convolutions in its network.
    if (!missing_names(layer.workload, machine).empty() && !classify(layer.workload))
      rename_dimensions(layer.workload, noted);
    const auto missing = missing_channels(layer.workload, machine);
    const auto has = [&](const Layer& other) { return has_output_channels(other.workload, *missing); };
    if (!missing || std::ranges::none_of(network.layers, has) || !add_channels(layer.workload, *missing)) continue;
    widened.push_back(layer.workload.name);
    channels = *missing;
  }
  fit_products(network, architecture);
  if (!widened.empty())
    network.notes.push_back(fmt::format("dimension {} = 1 added to {}, which {} no output channels", channels,
                                        join(widened), widened.size() == 1 ? "has" : "have"));
  if (noted.empty()) return;
  std::vector<std::string> from, to;
  for (const Rename& rename : noted) {
    from.push_back(rename.from);
    to.push_back(rename.to);
  }
  network.notes.push_back(fmt::format(
      "dimension{} {} of {} {} called {} by the constraints of {}, and here: --rename {}", noted.size() == 1 ? "" : "s",
      join(from), network.name, noted.size() == 1 ? "is" : "are", join(to), architecture.name, text_of(noted)));
}

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
