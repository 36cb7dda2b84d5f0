// Data that arrives as a stream of samples. Here the samples are lines of files, but they could also come from a
// decoder. A file is read when its samples are needed, and only recently used files are in memory.
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <troupe/troupe.hpp>

namespace {

/// Each file in the folder is a part of the data, with "x y class" on each line.
troupe::TrainingData make_lines(const std::string& folder, std::uint64_t /*seed*/) {
  const auto read = [folder](int part, const auto& take) {
    std::ifstream file(folder + "/" + std::to_string(part) + ".txt");
    std::array<float, 2> point{};
    for (int label = 0; file >> point[0] >> point[1] >> label;) take({.values = point, .label = label});
  };
  return {.train = troupe::data::stream({.shape = {2}, .num_classes = 2}, 16, read)};
}

void write_lines(const std::filesystem::path& folder) {
  for (int part = 0; part < 16; ++part) {
    std::ofstream file(folder / (std::to_string(part) + ".txt"));
    for (int i = 0; i < 100 + part; ++i) {
      const double x = (i * 37 % 101) / 50.0 - 1;
      const double y = ((i + part) * 53 % 97) / 48.0 - 1;
      file << x << ' ' << y << ' ' << (x * y > 0 ? 1 : 0) << '\n';
    }
  }
}

}  // namespace

int main(int argc, char** argv) try {
  troupe::register_data("lines", make_lines, {.arguments = ":FOLDER"});
  troupe::init(argc, argv);
  const auto folder = std::filesystem::temp_directory_path() / ("lines-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  write_lines(folder);
  double loss = 0;
  {
    troupe::DistributedSGD sgd{"mlp",
                               {.num_workers = 2,
                                .placement = troupe::Placement::processes,
                                .optimizer = troupe::Sgd{.learning_rate = 0.2, .momentum = 0.9},
                                .config = R"({"data": "lines:)" + folder.string() + R"("})",
                                .verbose = false}};
    for (int step = 0; step < 300; ++step) loss = sgd.step().loss;
  }
  std::filesystem::remove_all(folder);
  std::cout << "loss " << loss << '\n';
  return loss < 0.2 ? 0 : 1;
} catch (const troupe::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
