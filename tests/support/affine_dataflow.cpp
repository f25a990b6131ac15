#include "tests/support/affine_dataflow.h"

#include <isl/flow.h>
#include <algorithm>
#include <functional>
#include <optional>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

// { S[i] -> [its first `loops` loops] } x { S[i] -> f(i) }, in one tuple without a name.
isl::map key_of(const isl::set& domain, const isl::map& element, int loops) {
  const auto count = static_cast<unsigned>(loops);
  const auto depth = static_cast<unsigned>(isl_set_dim(domain.get(), isl_dim_set));
  isl_map* prefix = isl_map_from_multi_aff(isl_multi_aff_identity_on_domain_space(isl_set_get_space(domain.get())));
  prefix = isl_map_project_out(prefix, isl_dim_out, count, depth - count);
  isl_map* const key = isl_map_flat_range_product(prefix, isl_map_reset_tuple_id(element.copy(), isl_dim_out));
  return isl::manage(key).intersect_domain(domain);
}

// Loops inside of the first `prefix` that the element does not depend on.
std::vector<int> free_loops(const isl::map& element, int depth, int prefix) {
  std::vector<int> out;
  for (int d = prefix; d < depth; ++d)
    if (isl_map_involves_dims(element.get(), isl_dim_in, static_cast<unsigned>(d), 1) == isl_bool_false)
      out.push_back(d);
  return out;
}

}  // namespace

std::optional<StatementChain> find_chain(const ProgramStatement& s, int index, const isl::set& domain,
                                         const ReadFlow& flow) {
  isl::map own = isl::manage(isl_map_empty(isl_space_map_from_set(isl_set_get_space(domain.get()))));
  for (const auto& [source, relation] : flow.from)
    if (source == index) own = relation;
  if (own.is_empty()) return std::nullopt;
  const isl::set first = domain.subtract(own.range());
  for (int prefix = 0; prefix < s.depth(); ++prefix) {
    const isl::map key = key_of(domain, flow.element, prefix);
    const isl::map same = key.apply_range(key.reverse());
    // A step from one key to another would let a set take nothing from outside although it touches the key.
    if (!own.is_subset(same)) return std::nullopt;
    if (key.intersect_domain(first).is_injective())
      return StatementChain{key, free_loops(flow.element, s.depth(), prefix), same.intersect_domain(first)};
  }
  return std::nullopt;
}

namespace {

// Every conjunction of a relation, without what is empty.
void for_each_part(const isl::map& relation, const std::function<void(const isl::map&)>& visit) {
  relation.coalesce().foreach_basic_map([&](const isl::basic_map& part) {
    if (!part.is_empty()) visit(isl::map(part));
  });
}

class DataflowBuilder {
 public:
  explicit DataflowBuilder(const AffineProgram& program) : program_(program) {}

  DataflowGraph run() {
    isl::ctx context = program_.context.get();
    schedule_ = isl::union_map(context, "{ }");
    writes_.assign(program_.arrays.size(), schedule_);
    for (const ProgramStatement& s : program_.statements) {
      domains_.push_back(s.domain.intersect_params(program_.assumed));
      const isl::set& domain = domains_.back();
      schedule_ = schedule_.unite(s.schedule.intersect_domain(domain).to_union_map());
      isl::union_map& writes = writes_[s.write.array];
      writes = writes.unite(s.write.element.intersect_domain(domain).to_union_map());
      graph_.nodes.push_back({false, static_cast<int>(graph_.nodes.size()), s.name, domain});
    }
    find_inputs();
    for (std::size_t t = 0; t < flows_.size(); ++t)
      for (ReadFlow& flow : flows_[t]) add_read(static_cast<int>(t), flow);
    return std::move(graph_);
  }

 private:
  // Flow of every read, and the nodes of arrays.
  void find_inputs() {
    std::vector<std::optional<isl::set>> input(program_.arrays.size());
    for (std::size_t t = 0; t < program_.statements.size(); ++t) {
      flows_.emplace_back();
      for (const ArrayAccess& read : program_.statements[t].reads) {
        flows_.back().push_back(flow_of(read, domains_[t]));
        const isl::map& elements = flows_.back().back().input;
        if (elements.is_empty()) continue;
        std::optional<isl::set>& known = input[read.array];
        known = known ? known->unite(elements.domain()).coalesce() : elements.domain().coalesce();
      }
    }
    for (std::size_t a = 0; a < input.size(); ++a)
      if (input[a]) graph_.nodes.push_back({true, static_cast<int>(a), program_.arrays[a].name, *input[a]});
  }

  // The last write before each read, by isl's exact analysis.
  ReadFlow flow_of(const ArrayAccess& read, const isl::set& domain) const {
    const isl::map access = read.element.intersect_domain(domain);
    const isl::union_flow flow = isl::union_access_info(access.to_union_map())
                                     .set_must_source(writes_[read.array])
                                     .set_schedule_map(schedule_)
                                     .compute_flow();
    ReadFlow out{read.array, {}, {}, read.element};
    flow.must_dependence().foreach_map([&](const isl::map& relation) {
      const std::string source = relation.domain_tuple_id().name();
      out.from.emplace_back(std::stoi(source.substr(1)), relation);
    });
    std::sort(out.from.begin(), out.from.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    out.input = isl::manage(isl_map_empty(access.reverse().space().release()));
    flow.must_no_source().foreach_map([&](const isl::map& relation) { out.input = relation.reverse(); });
    return out;
  }

  void add_read(int target, ReadFlow& flow) {
    const ProgramStatement& s = program_.statements[target];
    const std::optional<StatementChain> chain =
        flow.element.is_equal(s.write.element) ? find_chain(s, target, domains_[target], flow) : std::nullopt;
    int reduction = -1;
    if (chain) {
      reduction = static_cast<int>(graph_.reductions.size());
      graph_.reductions.push_back({target, flow.array, chain->key, chain->loops, s.compound != 0});
    }
    const auto add = [&](int source, const isl::map& relation) {
      const bool own = chain && source == target;
      add_edges({source, target, relation, own ? EdgeKind::chain : EdgeKind::flow, flow.array, reduction});
      if (chain && !own)
        add_edges(
            {source, target, relation.apply_range(chain->companions), EdgeKind::broadcast, flow.array, reduction});
    };
    for (const auto& [source, relation] : flow.from) add(source, relation);
    if (!flow.input.is_empty()) add(graph_.input_node(flow.array), flow.input);
  }

  void add_edges(DataflowEdge edge) {
    const isl::map whole = edge.relation;
    for_each_part(whole, [&](const isl::map& part) {
      edge.relation = part;
      graph_.edges.push_back(edge);
    });
  }

  const AffineProgram& program_;
  DataflowGraph graph_;
  isl::union_map schedule_;
  std::vector<isl::union_map> writes_;        // [array]
  std::vector<isl::set> domains_;             // [statement]
  std::vector<std::vector<ReadFlow>> flows_;  // [statement][read]
};

}  // namespace

int DataflowGraph::input_node(int array) const {
  for (std::size_t k = 0; k < nodes.size(); ++k)
    if (nodes[k].is_input && nodes[k].index == array) return static_cast<int>(k);
  return -1;
}

Result<DataflowGraph> dataflow(const AffineProgram& program) {
  return guarded(program.context, program.file, "dataflow",
                 [&]() -> Result<DataflowGraph> { return DataflowBuilder(program).run(); });
}

}  // namespace heliolite
