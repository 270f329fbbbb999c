"""What a team learns from its conversations: gaps in the articles, evaluation cases, drafts of articles."""
