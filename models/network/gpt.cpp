#include <cmath>
#include <string>

#include "runtime/invalid.hpp"
#include "troupe/models.hpp"

namespace troupe::models {
namespace {

/// The standard deviation of the first weights of GPT-2.
constexpr double kDeviation = 0.02;

/// Appends layers to a graph, each with the output of the last one as input.
class Chain {
 public:
  void append(const std::string& name, const Layer& layer) { at_ = graph_.append(name, layer, {at_}); }
  void append_dropout(double probability) {
    if (probability > 0) append("", dropout(probability));
  }
  /// Adds an earlier output.
  void add_to(Graph::Node before) { at_ = graph_.append("", models::add(), {at_, before}); }

  Graph::Node at() const { return at_; }
  const Graph& graph() const { return graph_; }

 private:
  Graph graph_;
  Graph::Node at_ = Graph::input();
};

void append_block(Chain& chain, const std::string& name, const GptOptions& options) {
  // The last layers of both branches start smaller, so that the sums of all layers start with the variance of one.
  const double last = kDeviation / std::sqrt(2 * static_cast<double>(options.layers));
  Graph::Node before = chain.at();
  chain.append(name + ".ln_1", layer_norm());
  chain.append(name + ".attn.c_attn", linear(3 * options.width, {.deviation = kDeviation}));
  chain.append("", attention({.heads = options.heads, .dropout = options.dropout}));
  chain.append(name + ".attn.c_proj", linear(options.width, {.deviation = last}));
  chain.append_dropout(options.dropout);
  chain.add_to(before);
  before = chain.at();
  chain.append(name + ".ln_2", layer_norm());
  chain.append(name + ".mlp.c_fc", linear(4 * options.width, {.deviation = kDeviation}));
  chain.append("", gelu(GeluForm::tanh));
  chain.append(name + ".mlp.c_proj", linear(options.width, {.deviation = last}));
  chain.append_dropout(options.dropout);
  chain.add_to(before);
}

}  // namespace

Graph gpt(const GptOptions& options) {
  if (options.layers < 1) throw_invalid("a GPT needs at least one layer, not " + std::to_string(options.layers));
  if (options.heads < 1 || options.width < 1 || options.width % options.heads != 0)
    throw_invalid("a GPT of width " + std::to_string(options.width) + " cannot have " + std::to_string(options.heads) +
                  " heads: they must divide the width");
  Chain chain;
  chain.append("wte", embedding(options.vocabulary, options.width, kDeviation));
  chain.append("wpe", positions(options.window, kDeviation));
  chain.append_dropout(options.dropout);
  for (std::int64_t layer = 0; layer < options.layers; ++layer)
    append_block(chain, "h." + std::to_string(layer), options);
  chain.append("ln_f", layer_norm());
  chain.append("lm_head", linear(options.vocabulary, {.bias = false, .tied = "wte"}));
  return chain.graph();
}

}  // namespace troupe::models
