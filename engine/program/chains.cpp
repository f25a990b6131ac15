#include "engine/program/chains.h"

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

}  // namespace heliolite
