// A language model: learns to count, from sequences of numbers that are spelled out, and continues one.
#include <iostream>
#include <troupe/troupe.hpp>

namespace {

using namespace troupe::models;

constexpr const char* kSymbols = "0123456789 ";

/// Sequences such as "17 18 19 20 21 22", one token for each character.
troupe::TrainingData counting() {
  std::vector<std::vector<std::int32_t>> sequences;
  for (int first = 0; first < 90; ++first) {
    std::string text;
    for (int number = first; number < first + 8; ++number) text += std::to_string(number) + ' ';
    std::vector<std::int32_t> tokens;
    for (const char letter : text) tokens.push_back(static_cast<std::int32_t>(std::string(kSymbols).find(letter)));
    sequences.push_back(tokens);
  }
  const auto all = std::make_shared<troupe::Dataset>(
      troupe::Dataset::sequences(sequences, {}, std::string(kSymbols).size()));  // labels: the next tokens
  return {.train = all, .test = all};
}

/// GPT-2 in a few lines. models::gpt makes the same graph, with the first weights of GPT-2.
Graph tiny_gpt(std::int64_t window) {
  Graph g;
  auto x = g.append("wte", embedding(11, 32, 0.02), {g.input()});
  x = g.append("wpe", positions(window, 0.02), {x});
  for (const std::string block : {"h.0", "h.1"}) {
    auto y = g.append(block + ".attn.c_attn", linear(96), {g.append(block + ".ln_1", layer_norm(), {x})});
    y = g.append("", attention({.heads = 2}), {y});
    x = g.append("", add(), {g.append(block + ".attn.c_proj", linear(32), {y}), x});
    y = g.append(block + ".mlp.c_fc", linear(128), {g.append(block + ".ln_2", layer_norm(), {x})});
    y = g.append(block + ".mlp.c_proj", linear(32), {g.append("", gelu(GeluForm::tanh), {y})});
    x = g.append("", add(), {y, x});
  }
  g.append("lm_head", linear(11, {.bias = false, .tied = "wte"}), {g.append("ln_f", layer_norm(), {x})});
  return g;
}

}  // namespace

int main(int argc, char** argv) try {
  troupe::init(argc, argv);
  const troupe::TrainingData data = counting();
  const std::int64_t window = data.train->info().shape[0];
  troupe::DistributedSGD sgd{[=](int, int) { return network(tiny_gpt(window), data, /*batch_size=*/15); },
                             {.num_workers = 2, .optimizer = troupe::AdamW{.learning_rate = 0.005}, .verbose = false}};
  for (int step = 0; step < 400; ++step) sgd.step();
  const troupe::Evaluation evaluation = sgd.evaluate();
  std::cout << "perplexity " << *evaluation.perplexity() << " over " << evaluation.samples << " tokens\n";
  sgd.save("counting.safetensors");

  const troupe::Generator generator("counting.safetensors");
  const std::vector<std::int32_t> prompt{4, 1, 10, 4, 2, 10};  // "41 42 "
  std::string text = "41 42 ";
  generator.tokens(prompt, {.tokens = 9, .temperature = 0}, [&](std::int32_t token) { text += kSymbols[token]; });
  std::cout << text << '\n';
  return text.starts_with("41 42 43 44") ? 0 : 1;
} catch (const troupe::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
