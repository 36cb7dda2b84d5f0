#pragma once

#include <cstdint>
#include <vector>

// Results of PyTorch 1.13.1 for three rows of four outputs, computed by
//
//   import torch
//   from torch.nn import functional as F
//
//   torch.manual_seed(1)
//   x = (4 * torch.randn(3, 4)).double().requires_grad_()
//   targets, probabilities = (2 * torch.randn(3, 4)).double(), torch.rand(3, 4).double()
//   labels = torch.tensor([2, 0, 3])
//   losses = {"softmax": F.cross_entropy(x, labels), "squares": F.mse_loss(x, targets),
//             "smoothed": F.cross_entropy(x, labels, label_smoothing=0.1),
//             "sigmoid": F.binary_cross_entropy_with_logits(x, probabilities)}
//   print("outputs", x.tolist(), "targets", targets.tolist(), "probabilities", probabilities.tolist())
//   for name, loss in losses.items():
//       print(name, loss.item(), torch.autograd.grad(loss, x)[0].tolist())

namespace troupe::testing::pytorch {

inline const std::vector<float> kOutputs{2.6454086303710938F, 1.067696452140808F,   0.24670903384685516F,
                                         2.48526930809021F,   -1.8076238632202148F, -0.6645209193229675F,
                                         -6.091073989868164F, 1.5267356634140015F,  -4.110434532165527F,
                                         -2.252211093902588F, -3.569162130355835F,  -0.233000710606575F};
inline const std::vector<float> kTargets{-0.39101916551589966F, -1.9312719106674194F,  0.8448306322097778F,
                                         0.534633994102478F,    -0.8423902988433838F,  -1.021399974822998F,
                                         -3.1453304290771484F,  -0.24649551510810852F, 7.173978805541992F,
                                         -3.6625802516937256F,  3.1974005699157715F,   -2.554013967514038F};
inline const std::vector<float> kProbabilities{0.3556213974952698F,  0.44518280029296875F, 0.019305944442749023F,
                                               0.26160913705825806F, 0.7713170051574707F,  0.3784613609313965F,
                                               0.9980247616767883F,  0.9007942080497742F,  0.4765881896018982F,
                                               0.16625845432281494F, 0.8044810891151428F,  0.6551785469055176F};
inline const std::vector<std::int32_t> kLabels{2, 0, 3};

/// The mean loss over the rows and its gradient with respect to the outputs.
struct Result {
  double loss;
  std::vector<double> gradient;
};

inline const Result kSoftmax{2.26976260926646,
                             {0.15508868045899005, 0.03201757296025728, -0.319245697960014, 0.13213944454076668,
                              -0.3229848008003227, 0.032458023480528696, 0.00014275785563543157, 0.2903840194641586,
                              0.0058041031517495805, 0.03721785226103837, 0.00997256187360859, -0.05299451728639655}};
inline const Result kSmoothed{
    2.299600492530286,
    {0.14675534712565674, 0.02368423962692395, -0.29424569796001404, 0.12380611120743337, -0.29798480080032275,
     0.024124690147195375, -0.008190575477697902, 0.28205068613082535, -0.002529230181583752, 0.02888451892770504,
     0.0016392285402752585, -0.02799451728639654}};
inline const Result kSquares{17.979818655064157,
                             {0.5060712993144989, 0.4998280604680379, -0.0996869330604871, 0.32510588566462195,
                              -0.16087226072947183, 0.05947984258333842, -0.49095726013183594, 0.295538529753685,
                              -1.8807355562845864, 0.23506152629852295, -1.1277604500452676, 0.3868355428179105}};
inline const Result kSigmoid{
    1.6768765463221396,
    {0.048175503490803816, 0.02491464980460952, 0.045171697704865295, 0.05512446107944449, -0.05253262137601294,
     -0.0032280482323709483, -0.0829805744987696, -0.006605500614343692, -0.038371015345981974, -0.005924961939056596,
     -0.06475616273047351, -0.01776388476362109}};

}  // namespace troupe::testing::pytorch
