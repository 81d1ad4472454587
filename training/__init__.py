"""How the built-in embedding model is made: corpus, pairs, vocabulary, distillation, training, reduction, figures."""
