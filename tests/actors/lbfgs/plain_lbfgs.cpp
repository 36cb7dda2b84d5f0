#include "actors/lbfgs/plain_lbfgs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/optimizers/line_search.hpp"

using namespace troupe;

namespace troupe_test {

PlainLbfgs::PlainLbfgs(Function function, Numbers begin, const Lbfgs& options)
    : function_(std::move(function)), options_(options), x_(std::move(begin)) {
  value_ = function_(x_, gradient_);
}

Numbers PlainLbfgs::direction() const {
  Numbers q = gradient_;
  Numbers alphas(pairs_.size());
  for (std::size_t i = pairs_.size(); i-- > 0;) {
    alphas[i] = dot(pairs_[i].s, q) / dot(pairs_[i].s, pairs_[i].y);
    q = plus(q, -alphas[i], pairs_[i].y);
  }
  if (!pairs_.empty()) {
    const double scale = dot(pairs_.back().s, pairs_.back().y) / dot(pairs_.back().y, pairs_.back().y);
    for (double& each : q) each *= scale;
  }
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const double beta = dot(pairs_[i].y, q) / dot(pairs_[i].s, pairs_[i].y);
    q = plus(q, alphas[i] - beta, pairs_[i].s);
  }
  for (double& each : q) each = -each;
  return q;
}

bool PlainLbfgs::step() {
  const Numbers d = direction();
  const double first = pairs_.empty() ? std::min(1.0, 1 / std::sqrt(dot(d, d))) : 1.0;
  LineSearchOptions options;
  options.max_evaluations = options_.max_evaluations;
  options.noise = 1e-8 * std::abs(value_);
  LineSearch search({0, value_, dot(d, gradient_)}, first, options);
  Numbers gradient;
  while (search.end() == LineSearchEnd::none) {
    const double value = function_(plus(x_, search.next(), d), gradient);
    search.note(value, dot(gradient, d));
  }
  evaluations_ = search.evaluations();
  if (search.end() != LineSearchEnd::found && search.end() != LineSearchEnd::decreased) return false;
  step_length_ = search.best().step;
  const Numbers x = plus(x_, step_length_, d);
  value_ = function_(x, gradient);
  pairs_.push_back({plus(x, -1, x_), plus(gradient, -1, gradient_)});
  if (pairs_.size() > static_cast<std::size_t>(options_.history)) pairs_.pop_front();
  x_ = x;
  gradient_ = gradient;
  return true;
}

}  // namespace troupe_test
