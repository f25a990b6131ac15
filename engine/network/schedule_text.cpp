#include "engine/network/schedule_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "engine/base/integers.h"
#include "engine/base/named.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

constexpr std::size_t kDeepestTree = 64;

// Reads from the left to the right; the first error is the last.
class ScheduleReader {
 public:
  ScheduleReader(std::string_view text, const LinkGraph& graph, const Architecture& architecture)
      : text_(text), graph_(graph), architecture_(architecture) {}

  Result<std::vector<LinkGroup>> run() {
    std::vector<LinkGroup> groups;
    do {
      groups.push_back(group());
    } while (errors_.empty() && take(';'));
    if (errors_.empty() && !at_end()) complain(fmt::format("'{}', must be ';' or the end", rest()));
    if (!errors_.empty()) return errors_;
    return groups;
  }

 private:
  LinkGroup group() {
    const std::size_t start = skip();
    const std::string name = word();
    LinkGroup out;
    if (!take('[')) {
      out.first = out.last = link(name, start);
      return out;
    }
    const auto level = architecture_.find_level(name);
    if (!level) {
      std::vector<std::string> known = names_of(architecture_.levels);
      complain(fmt::format("'{}' is no level of {}, must be one of {}{}", shortened(name), architecture_.name,
                           join(known), did_you_mean(name, known)),
               start);
      return out;
    }
    out.level = *level;
    out.root = inner(1);
    if (!errors_.empty()) return out;
    const TreeNode *first = &out.root, *last = &out.root;
    while (!first->is_leaf()) first = &first->children.front();
    while (!last->is_leaf()) last = &last->children.back();
    out.first = *first->link;
    out.last = *last->link;
    if (out.is_single())
      complain(fmt::format("a tree from {0} to {0}, must have two links or more; a link alone is its name",
                           graph_.link(out.first).name),
               start);
    return out;
  }

  // What stands between the brackets of a node; the opening one has been taken.
  TreeNode inner(std::size_t depth) {
    TreeNode node;
    if (depth > kDeepestTree) {
      complain(fmt::format("brackets in more than {} brackets", kDeepestTree));
      return node;
    }
    do {
      const std::size_t start = skip();
      if (take('+')) {
        node.held.push_back(array(word(), start));
      } else if (peek() == '(' || peek() == '[') {
        std::vector<DividedLink> loop;
        if (take('(')) loop = divided();
        if (errors_.empty() && !take('[')) complain(fmt::format("'{}', must be the '[' of the loop's node", rest()));
        if (!errors_.empty()) return node;
        node.children.push_back(inner(depth + 1));
        node.children.back().loop = std::move(loop);
      } else {
        node.children.emplace_back().link = link(word(), start);
      }
    } while (errors_.empty() && take(','));
    if (errors_.empty() && !take(']')) complain(fmt::format("'{}', must be ',' or ']'", rest()));
    if (errors_.empty() && node.children.empty()) complain("a node without a link, must have at least one");
    return node;
  }

  std::vector<DividedLink> divided() {
    std::vector<DividedLink> out;
    while (errors_.empty() && !take(')')) {
      const std::size_t start = skip();
      const std::string term = word();
      // Names of dimensions have no dots, names of links may have them.
      const auto dot = term.rfind('.');
      if (term.empty() || dot == std::string::npos) {
        complain(fmt::format("'{}', must be LINK.DIMENSION/FACTOR, as in q.i/2", term.empty() ? rest() : term), start);
        return out;
      }
      DividedLink& loop = out.emplace_back();
      loop.link = link(term.substr(0, dot), start);
      if (!errors_.empty()) return out;
      for (const std::string& part : split(std::string_view(term).substr(dot + 1), '*'))
        loop.divided.push_back(factor(part, loop.link, start));
    }
    if (errors_.empty() && out.empty()) complain("a loop over nothing, must be as in (q.i/2 k.i/2)");
    return out;
  }

  // "i/2"
  DividedDimension factor(std::string_view part, int l, std::size_t start) {
    const Workload& link = graph_.link(l);
    const auto slash = part.find('/');
    const std::string name(part.substr(0, slash));
    const auto dimension = link.find_dimension(name);
    if (!dimension) {
      std::vector<std::string> known = names_of(link.dimensions);
      complain(fmt::format("'{}' is no dimension of {}, must be one of {}", shortened(name), link.name, join(known)),
               start);
      return {};
    }
    const std::string_view digits = slash == part.npos ? std::string_view() : part.substr(slash + 1);
    u64 value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value < 2 || value > kMaxDimensionSize) {
      complain(fmt::format("factor '{}' of {}.{}, must be an integer from 2 to {}", shortened(std::string(digits)),
                           link.name, name, link.dimensions[*dimension].size),
               start);
      return {};
    }
    return {*dimension, value};
  }

  int link(const std::string& name, std::size_t start) {
    if (!errors_.empty()) return 0;
    if (const auto l = graph_.find_link(name)) return *l;
    std::vector<std::string> known;
    for (const Layer& l : graph_.links) known.push_back(l.workload.name);
    complain(fmt::format("'{}' is no link of the network, must be one of {}{}", name.empty() ? rest() : shortened(name),
                         shortened(join(known)), did_you_mean(name, known)),
             start);
    return 0;
  }

  int array(const std::string& name, std::size_t start) {
    if (!errors_.empty()) return 0;
    if (const auto a = graph_.find_array(name)) return *a;
    const std::vector<std::string> known = names_of(graph_.arrays);
    complain(fmt::format("'{}' is no array of the network, must be LINK.TENSOR or an input's name{}", shortened(name),
                         did_you_mean(name, known)),
             start);
    return 0;
  }

  std::size_t skip() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n')) ++position_;
    return position_;
  }
  bool at_end() { return skip() == text_.size(); }
  char peek() { return at_end() ? '\0' : text_[position_]; }
  bool take(char c) {
    if (peek() != c) return false;
    ++position_;
    return true;
  }
  std::string word() {
    const std::size_t start = skip();
    const std::size_t end = std::min(text_.find_first_of(" ,;()[]\n", start), text_.size());
    position_ = end;
    return std::string(text_.substr(start, end - start));
  }
  std::string rest() { return at_end() ? std::string("the end") : shortened(std::string(text_.substr(position_))); }

  void complain(const std::string& what) { complain(what, position_); }
  void complain(const std::string& what, std::size_t where) {
    if (!errors_.empty()) return;
    const std::string_view before = text_.substr(0, where);
    const bool several = text_.find('\n') != text_.npos;
    const auto line = several ? 1 + std::ranges::count(before, '\n') : 0;
    const std::size_t begin = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
    errors_.push_back({"", static_cast<int>(line), fmt::format("schedule, column {}", where - begin + 1), what});
  }

  std::string_view text_;
  const LinkGraph& graph_;
  const Architecture& architecture_;
  std::size_t position_ = 0;
  Diagnostics errors_;
};

}  // namespace

Result<std::vector<LinkGroup>> read_schedule(std::string_view text, const LinkGraph& graph,
                                             const Architecture& architecture) {
  return ScheduleReader(text, graph, architecture).run();
}

std::string loop_text(const TreeNode& node, const LinkGraph& graph) {
  if (node.loop.empty()) return "";
  std::string out;
  for (const DividedLink& l : node.loop) {
    out += fmt::format("{}{}.", out.empty() ? "(" : " ", graph.link(l.link).name);
    for (std::size_t k = 0; k < l.divided.size(); ++k)
      out += fmt::format("{}{}/{}", k == 0 ? "" : "*", graph.link(l.link).dimensions[l.divided[k].dimension].name,
                         l.divided[k].factor);
  }
  return out + ")";
}

std::string node_text(const TreeNode& node, const LinkGraph& graph) {
  if (node.is_leaf()) return graph.link(*node.link).name;
  std::string parts;
  for (const int a : node.held) parts += fmt::format("{}+{}", parts.empty() ? "" : ", ", graph.array(a).name);
  for (const TreeNode& child : node.children)
    parts += fmt::format("{}{}", parts.empty() ? "" : ", ", node_text(child, graph));
  return fmt::format("{}[{}]", loop_text(node, graph), parts);
}

std::string group_text(const LinkGroup& group, const LinkGraph& graph, const Architecture& architecture) {
  if (group.is_single()) return graph.link(group.first).name;
  return architecture.levels[group.level].name + node_text(group.root, graph);
}

std::string write_schedule(const std::vector<LinkGroup>& groups, const LinkGraph& graph,
                           const Architecture& architecture, std::string_view between) {
  std::string out;
  for (const LinkGroup& group : groups)
    out += fmt::format("{}{}", out.empty() ? "" : between, group_text(group, graph, architecture));
  return out;
}

}  // namespace heliolite
