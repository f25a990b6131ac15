// Mixed-integer programs solved by CBC, where that was found while configuring.
#include <CbcModel.hpp>  // first: the others need what it declares

#include <CbcCutGenerator.hpp>
#include <CbcEventHandler.hpp>
#include <CbcHeuristicDiveCoefficient.hpp>
#include <CbcHeuristicFPump.hpp>
#include <CbcHeuristicLocal.hpp>
#include <CbcHeuristicRINS.hpp>
#include <CglClique.hpp>
#include <CglFlowCover.hpp>
#include <CglGomory.hpp>
#include <CglKnapsackCover.hpp>
#include <CglMixedIntegerRounding2.hpp>
#include <CglPreProcess.hpp>
#include <CglProbing.hpp>
#include <CglTwomir.hpp>
#include <ClpEventHandler.hpp>
#include <CoinPackedMatrix.hpp>
#include <OsiClpSolverInterface.hpp>
#include <chrono>
#include <cmath>
#include <memory>

#include "engine/base/integers.h"
#include "engine/search/cosa/mip.h"

namespace heliolite {
namespace {

using Clock = std::chrono::steady_clock;

// Ends the search when somebody asks for it.
class StopHandler : public CbcEventHandler {
 public:
  explicit StopHandler(const std::function<bool()>& stopped) : stopped_(stopped) {}
  CbcAction event(CbcEvent) override { return stopped_() ? stop : noAction; }
  CbcEventHandler* clone() const override { return new StopHandler(*this); }

 private:
  std::function<bool()> stopped_;
};

// Stops the linear programs on the way, of which a large one takes many seconds. What follows from one that was
// not solved means nothing.
class LinearStopHandler : public ClpEventHandler {
 public:
  explicit LinearStopHandler(const std::function<bool()>& stopped) : stopped_(stopped) {}
  int event(Event) override { return stopped_() ? kStop : kGoOn; }
  ClpEventHandler* clone() const override { return new LinearStopHandler(*this); }

 private:
  static constexpr int kGoOn = -1, kStop = 5;  // as its base class has them
  std::function<bool()> stopped_;
};

double limit(double x) { return std::isfinite(x) ? x : std::copysign(COIN_DBL_MAX, x); }

// CBC counts constants on the other side; they are added to what it answers.
void load(const Mip& mip, OsiClpSolverInterface& solver) {
  CoinPackedMatrix matrix(false, 0, 0);
  matrix.setDimensions(0, static_cast<int>(mip.columns().size()));
  std::vector<double> row_lower, row_upper, lower, upper, cost;
  for (const MipRow& row : mip.rows()) {
    std::vector<int> columns;
    std::vector<double> factors;
    for (const auto& [column, factor] : row.factor) columns.push_back(column), factors.push_back(factor);
    matrix.appendRow(static_cast<int>(columns.size()), columns.data(), factors.data());
    row_lower.push_back(limit(row.lower));
    row_upper.push_back(limit(row.upper));
  }
  for (const MipColumn& c : mip.columns()) {
    lower.push_back(limit(c.lower));
    upper.push_back(limit(c.upper));
    cost.push_back(c.cost);
  }
  solver.messageHandler()->setLogLevel(0);
  solver.getModelPtr()->messageHandler()->setLogLevel(0);
  solver.setHintParam(OsiDoReducePrint, true, OsiHintTry);
  solver.loadProblem(matrix, lower.data(), upper.data(), cost.data(), row_lower.data(), row_upper.data());
  for (std::size_t k = 0; k < mip.columns().size(); ++k)
    if (mip.columns()[k].integer) solver.setInteger(static_cast<int>(k));
}

// The cuts and heuristics of CBC's own examples.
void equip(CbcModel& model) {
  CglProbing probing;
  probing.setUsingObjective(1);
  probing.setMaxPass(1);
  probing.setMaxPassRoot(5);
  probing.setMaxProbe(10);
  probing.setMaxProbeRoot(1000);
  probing.setMaxLook(50);
  probing.setMaxLookRoot(500);
  probing.setRowCuts(3);
  CglGomory gomory;
  gomory.setLimit(300);
  CglKnapsackCover knapsack;
  CglClique clique;
  clique.setStarCliqueReport(false);
  clique.setRowCliqueReport(false);
  CglMixedIntegerRounding2 rounding;
  CglFlowCover flow;
  CglTwomir twomir;
  model.addCutGenerator(&probing, -1, "Probing");
  model.addCutGenerator(&gomory, -1, "Gomory");
  model.addCutGenerator(&knapsack, -1, "Knapsack");
  model.addCutGenerator(&clique, -1, "Clique");
  model.addCutGenerator(&flow, -1, "FlowCover");
  model.addCutGenerator(&rounding, -1, "MixedIntegerRounding2");
  model.addCutGenerator(&twomir, -1, "TwoMir");
  CbcRounding round(model);
  CbcHeuristicFPump pump(model);
  CbcHeuristicDiveCoefficient dive(model);
  CbcHeuristicRINS rins(model);
  CbcHeuristicLocal local(model);
  model.addHeuristic(&pump);
  model.addHeuristic(&round);
  model.addHeuristic(&dive);
  model.addHeuristic(&rins);
  model.addHeuristic(&local);
}

// Integers as whole numbers.
std::vector<double> rounded(const Mip& mip, const double* values) {
  std::vector<double> out(values, values + mip.columns().size());
  for (std::size_t k = 0; k < out.size(); ++k)
    if (mip.columns()[k].integer) out[k] = std::round(out[k]);
  return out;
}

double cost_of(const Mip& mip, std::span<const double> values) {
  double out = mip.constant_cost();
  for (std::size_t k = 0; k < values.size(); ++k) out += mip.columns()[k].cost * values[k];
  return out;
}

// Gives the search an answer to begin with, if the smaller program still has it.
void begin_with(std::span<const double> start, CglPreProcess& smaller, CbcModel& model) {
  const int count = model.getNumCols();
  const int* const original = smaller.originalColumns();
  std::vector<double> values(at(count), 0.0);
  for (int k = 0; k < count; ++k)
    if (original[k] >= 0 && at(original[k]) < start.size()) values[k] = start[original[k]];
  model.setBestSolution(values.data(), count, COIN_DBL_MAX, true);
}

}  // namespace

bool has_mip_solver() { return true; }

MipAnswer solve(const Mip& mip, const MipLimits& limits) {
  const Clock::time_point begin = Clock::now();
  MipAnswer out;
  out.bound = -kUnlimited;
  OsiClpSolverInterface solver;
  load(mip, solver);
  const auto stopped = [&] { return limits.stopped && limits.stopped(); };
  const auto given_up = [&] {
    out.infeasible = out.proven = false;
    out.bound = -kUnlimited;
    out.values = limits.start;
    if (!out.values.empty()) out.value = cost_of(mip, out.values);
    return out;
  };
  const auto listens = std::make_shared<bool>(true);
  LinearStopHandler linear([listens, stopped] { return *listens && stopped(); });
  solver.getModelPtr()->passInEventHandler(&linear);
  solver.initialSolve();
  if (stopped()) return given_up();
  if (!solver.isProvenOptimal()) {
    out.infeasible = out.proven = solver.isProvenPrimalInfeasible();
    return out;
  }
  CglPreProcess smaller;
  smaller.messageHandler()->setLogLevel(0);
  CglProbing probing;
  probing.setUsingObjective(1);
  smaller.addCutGenerator(&probing);
  OsiSolverInterface* const reduced = smaller.preProcessNonDefault(solver, 0, 10);
  if (stopped()) return given_up();
  if (reduced == nullptr) {
    out.infeasible = out.proven = true;
    return out;
  }
  reduced->resolve();
  CbcModel model(*reduced);
  model.setLogLevel(0);
  model.solver()->messageHandler()->setLogLevel(0);
  model.setRandomSeed(1);
  model.setUseElapsedTime(true);
  if (limits.gap > 0) model.setAllowableGap(limits.gap);
  if (limits.seconds) {
    const double gone = std::chrono::duration<double>(Clock::now() - begin).count();
    model.setMaximumSeconds(std::max(0.01, *limits.seconds - gone));
  }
  if (limits.stopped) {
    const StopHandler handler(limits.stopped);
    model.passInEventHandler(&handler);
  }
  equip(model);
  if (!limits.start.empty()) begin_with(limits.start, smaller, model);
  model.branchAndBound();
  out.nodes = static_cast<u64>(model.getNodeCount());
  if (stopped() && model.bestSolution() == nullptr) return given_up();
  out.proven = model.status() == 0 && model.secondaryStatus() <= 1;
  out.infeasible = out.proven && model.isProvenInfeasible();
  out.bound = model.getBestPossibleObjValue() + mip.constant_cost();
  if (stopped()) out.proven = out.infeasible = false, out.bound = -kUnlimited;
  if (model.bestSolution() != nullptr) {
    *listens = false;
    smaller.postProcess(*model.solver());
    out.values = rounded(mip, solver.getColSolution());
    out.value = cost_of(mip, out.values);
  }
  if (!limits.start.empty() && (out.values.empty() || cost_of(mip, limits.start) < out.value)) {
    out.infeasible = false;
    out.values = limits.start;
    out.value = cost_of(mip, out.values);
  }
  if (out.values.empty()) return out;
  if (out.proven) out.bound = std::min(out.value, out.bound);
  return out;
}

}  // namespace heliolite
