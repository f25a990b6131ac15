#pragma once
// What `bound` says about an affine program. No type of isl: also for a build without it.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/types.h"
#include "engine/program/affine_support.h"
#include "engine/program/bound/program_bound.h"
#include "workloads/workload.h"

namespace heliolite {

// Formulas hold for all parameters of at least this.
inline constexpr i64 kLeastParameter = 8;

// Parameters are at most this: squares and cubes of it are still exact enough as doubles.
inline constexpr i64 kMostParameter = 1'000'000'000;

// The rules that a bound of a program is made of, as --without names them.
inline constexpr const char* kProgramRules[] = {"k-partition", "wavefront", "joined-statements", "circuits"};

struct FormulaText {
  std::string text, latex;
};

struct ProgramFormula {
  FormulaText full;        // a guarantee, as far as its parameters are at least kLeastParameter
  FormulaText asymptotic;  // its leading terms for large parameters and S between; no guarantee
  FormulaText simplified;  // the leading terms with all parameters equal
};

// One bound that was added up.
struct ProgramSummand {
  std::string method;                   // "k-partition", "wavefront"
  std::vector<std::string> statements;  // their names, S0, S1, .. in the order of the text
  std::vector<int> lines;               // where they are
  std::vector<std::string> outer;       // for a wavefront: the loops whose slices are added up
  std::vector<std::string> walks;       // for people: arrays that values come by
  double instances = 0, ends = 0;       // counted instances; words that their walks end at
  double exponent = 0, constant = 0;    // for a partition and large S: about constant * instances / S^(exponent - 1)
  std::vector<u64> words;               // [capacity]
};

struct ProgramQuestion {
  std::string file;
  std::vector<std::pair<std::string, i64>> parameters;
  std::vector<u64> capacities;       // words
  bool symbolic = false;             // also formulas; parameters need no values then
  std::vector<std::string> without;  // names of kProgramRules to leave out
  bool tilings = true;               // also the best tilings known
  ProgramStop* stop = nullptr;       // who may ask for the end; null: nobody
};

struct ProgramAnswer {
  std::string file;
  std::vector<std::pair<std::string, i64>> parameters;  // in the order of the program
  std::vector<u64> capacities;  // none where formulas were asked for without values: those in `parameters` are examples
  std::vector<u64> words;       // [capacity]: no schedule loads fewer
  // [capacity]: loads of the best schedule known, statement after statement in tiles; none: an instance does not fit.
  // Empty where the program cannot be tiled so: `no_tiling` says why.
  std::vector<std::optional<u64>> tiled;
  std::string no_tiling;
  std::vector<std::string> boxed;  // statements of which the tiling counts the whole box around their instances
  // Where they were counted: words read before anything is written to them, which are loaded once; arithmetic
  // operators and calls.
  std::optional<u64> inputs;
  std::optional<double> operations;
  std::vector<ProgramSummand> summands;
  std::vector<std::string> given_up;  // what was not followed to its end; it makes bounds weaker, not wrong
  std::optional<ProgramFormula> formula;
  std::string no_formula;          // why there is none, if one was asked for
  std::vector<std::string> notes;  // what of the text was left out
};

// Reads the program and bounds its loads, within some seconds or until question.stop asks for the end: then with what
// was found (`given_up` has "stopped"), or a complaint if that is nothing. Complains about a file that is no affine
// program, parameters that are missing or too many, and, built without isl, says so.
Result<ProgramAnswer> bound_program(const ProgramQuestion& question);

// Complains where a count is no polynomial in the parameters.
Result<ProgramFormula> program_formula(const ProgramPlan& plan);

// A statement's instances as an Einsum over a box of its loops. A word that it reads at several places counts as words
// of several tensors, which is what a schedule may do.
struct TiledStatement {
  std::string name;
  int line = 0;
  Workload workload;
  bool accumulates = false;  // it reads what it writes, so that its output starts with values
  bool boxed = false;        // its instances are a part of the box: tiles move at most what those of the box do
};

struct TiledProgram {
  std::vector<TiledStatement> statements;
};

// The statements if the program can be tiled this way: each needs values of statements before it and of itself only,
// of itself only forwards along every loop (so that any loop order and any tiles are legal), a word of memory has one
// value or one running sum while it runs, its subscripts are sums of loops with positive coefficients, and its operands
// at most kMaxTensors - 1. A complaint names the statement that does not.
Result<TiledProgram> tile_program(const ProgramPlan& plan);

// Words that the best tilings known load with a memory of `capacity` words, empty between statements. Nothing where one
// instance does not fit.
std::optional<double> tiled_loads(const TiledProgram& program, double capacity);

}  // namespace heliolite
