#pragma once
// The design points of a sweep, made one by one from their place in the grid (there is never a list of all), the
// conditions that they must meet, and the variants of the machine that they are.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/types.h"
#include "engine/sweep/records.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// Conditions on design points, "l1 * 2 <= l2_words && area_mm2 <= 5": muParser's syntax over named numbers.

// Numbers of a design point's machine that constraints may use besides the parameters: area, capacities, compute units.

// The names of these numbers: pes, area_um2, area_mm2, total_bytes; for every level LEVEL_words, LEVEL_bytes,
// LEVEL_area_um2 (of one instance) and LEVEL_instances. Characters of a level's name that an expression does not allow
// in names become '_'.
std::vector<std::string> derived_names(const ArchitectureSpec& machine);
// The values of derived_names() in that order; unbounded capacities are infinite.
std::vector<double> derived_values(const Architecture& machine);

// All names that constraints may use: the parameters, then derived_names().
std::vector<std::string> constraint_names(const SweepSpec& spec);

// Bytes of all instances of all bounded memories.
double total_capacity_bytes(const Architecture& machine);

// A parsed condition.
class Expression {
 public:
  // `names`: of the numbers that it may use, in the order in which holds() gets them. Errors, without file and line:
  // syntax (with the column), unknown names (with a suggestion), anything that is no condition.
  static Result<Expression> parse(const std::string& text, std::span<const std::string> names);

  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;
  ~Expression();

  const std::string& text() const;
  bool uses(std::size_t name) const;  // whether it uses names[name]

  // Whether the condition is true; false also where it has no value (0/0). Must not be called from two threads at once.
  bool holds(std::span<const double> values) const;

  // Whether muParser would take `name` for a function or a constant.
  static bool reserved(const std::string& name);

 private:
  struct State;
  explicit Expression(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

class YamlNode;

// Field paths of parameters, and the variants of the machine that they make with a value, read by the machine's own
// readers.

// The field that `node` names in the machine; none after a complaint: unknown levels, fields that cannot be swept
// (names, the list of levels). Keys are checked when a value is read.
std::optional<FieldPath> read_field_path(const YamlNode& node, const ArchitectureSpec& machine, Diagnostics& errors);

// The setting of the field to this value; complaints are those of the machine's reader, at the value.
Setting read_setting(const FieldPath& field, const YamlNode& value, Diagnostics& errors);

// The machine with the field set. Errors as of vary().
ArchitectureSpec with_setting(ArchitectureSpec machine, const Setting& setting, Diagnostics& errors);

// Whether setting one of the two changes what the other set.
bool overlap(const FieldPath& a, const FieldPath& b);

// Whether the field changes only capacities, bandwidths and costs: what the machines of a family may differ in
// (engine/search/core/machine_family.h).
bool is_memory_field(const FieldPath& field);

// A seeded order of 0 .. size - 1 without a list of them: samples without repetition in constant memory.

// A Feistel network over the smallest even number of bits that holds `size`, walked until it is back inside (at most
// four times on average): a bijection for every seed, the same on every machine.
class Permutation {
 public:
  Permutation(u64 size, u64 seed);  // size from 1 to 2^62

  u64 operator()(u64 index) const;  // the number at this index, below size

 private:
  u64 shuffle(u64 index) const;

  u64 size_;
  u64 seed_;
  int half_bits_ = 1;
};

// A machine to map, or why there is none.
struct DesignPoint {
  u64 id = 0;                           // place in the grid, counted with the last parameter fastest
  std::optional<Architecture> machine;  // none: excluded by a constraint, or no machine at all
  PointState state = PointState::Done;  // Excluded or Invalid without a machine
  std::string reason;                   // then: which constraint, or the machine's complaint
};

// Makes the points of one sweep, which must outlive it.
class DesignPoints {
 public:
  explicit DesignPoints(const SweepSpec& spec);

  u64 grid() const { return grid_; }        // points of the grid
  u64 planned() const { return planned_; }  // points that the sweep looks at: all of the grid, or the sample
  // The id of the k-th planned point. Without a sample in the grid's order, else in the sample's own, so that a larger
  // sample of the same seed begins with the smaller one.
  u64 id(u64 k) const;

  // [parameter]: index of its value at the point, and the value as written.
  std::vector<std::size_t> choice(u64 id) const;
  std::vector<std::string> values(u64 id) const;

  u64 values_of(std::size_t parameter) const { return spec_.parameters[parameter].values.size(); }
  // The id of the point where every parameter has its first value but `parameter`, which has its k-th.
  u64 off_origin(std::size_t parameter, std::size_t k) const;

  // The point with this id. Must not be called from two threads at once.
  DesignPoint make(u64 id) const;
  // The machine of that point, whatever the constraints say. Errors: those of the machine.
  Result<Architecture> machine(u64 id) const;

  // Points of a family differ in parameters of memories only (is_memory_field). All families have the same size;
  // family() is the index of a point's family, member() the id of a family's k-th member.
  u64 families() const { return families_; }
  u64 family_size() const { return grid_ / families_; }
  u64 family(u64 id) const;
  u64 member(u64 family, u64 k) const;

 private:
  const ParameterValue& value(std::size_t parameter, std::size_t choice) const;

  const SweepSpec& spec_;
  u64 grid_ = 1, planned_ = 1, families_ = 1;
  std::vector<bool> memory_only_;  // [parameter]: it sets fields of memories only
  Permutation sample_;
  std::vector<Expression> early_, late_;  // constraints on parameters alone; others
};

// Which design points of a sweep a shard maps.

// Part `index`, from 0, of `count` parts of a sweep.
struct Shard {
  u64 index = 0, count = 1;
  // The points of the part in order, or families where those are dealt; null: they are dealt in turn.
  std::shared_ptr<const std::vector<u64>> only{};
};

// Points are dealt to the shards in turn, in a random order that is always the same; for SweepGoal::Best whole families
// are (families.h).
class ShardRule {
 public:
  ShardRule(SweepGoal goal, const DesignPoints& points, Shard shard);

  // Whether the shard maps the point with this id.
  bool has(u64 point) const;
  // Index of the shard of the count that maps the point where they are dealt in turn.
  u64 in_turn(u64 point) const { return order_(unit(point)) % shard_.count; }

 private:
  // What is dealt: the point or its family.
  u64 unit(u64 point) const { return by_family_ ? points_.family(point) : point; }

  const DesignPoints& points_;
  bool by_family_;
  Shard shard_;
  Permutation order_;
};

}  // namespace heliolite
